/** What a contract may not say, whatever its copies say. */

import type { Finding } from "./finding.js";
import type { Value } from "./json.js";

type Members = ReadonlyMap<string, Value>;

const TOP = ["conformance", "contract_version", "external_tool_name_convention", "mcp_tool_reference", "profiles"];
const OF_A_TOOL = ["category", "description", "read_only"];
const MAY_HAVE = ["aliases", "safety_critical"];
const EXECUTE = ["adds_tools", "extends", "never_model_facing_fields", "requires_all_of"];
const OF_A_PROFILE: readonly (readonly [string, readonly string[], string])[] = [
  ["observe", ["default", "tools"], ""],
  ["govern", ["adds_tools", "extends"], "observe"],
  ["execute", EXECUTE, "govern"],
];

export function wrongWith(contract: Value): Finding[] {
  if (!(contract instanceof Map)) return [{ code: "bad_contract", where: "" }];
  const found = keys("bad_contract", "", contract, TOP);
  if (!isNaming(contract.get("external_tool_name_convention"))) {
    found.push({ code: "bad_contract", where: "external_tool_name_convention" });
  }
  let tools = contract.get("mcp_tool_reference");
  if (!(tools instanceof Map) || tools.size === 0) {
    found.push({ code: "bad_contract", where: "mcp_tool_reference" });
    tools = new Map<string, Value>();
  }
  for (const [name, tool] of tools) {
    const where = `mcp_tool_reference/${name}`;
    if (!/^[a-z][a-z0-9_]{0,55}$/.test(name) || !(tool instanceof Map)) found.push({ code: "bad_contract", where });
    else found.push(...keys("bad_contract", where, tool, OF_A_TOOL, MAY_HAVE));
  }
  const profiles = contract.get("profiles");
  if (profiles instanceof Map) return [...found, ...wrongWithProfiles(profiles, tools)];
  return [...found, { code: "bad_profile", where: "profiles" }];
}

/** The value if it is a list of texts with none twice, else null. */
export function texts(value: Value | undefined): string[] | null {
  if (!Array.isArray(value) || !value.every((item) => typeof item === "string")) return null;
  return new Set(value).size === value.length ? (value as string[]) : null;
}

function wrongWithProfiles(profiles: Members, tools: Members): Finding[] {
  const found = keys("bad_profile", "profiles", profiles, ["execute", "full", "govern", "observe"]);
  const held = new Set<string>();
  for (const [name, needed, extended] of OF_A_PROFILE) {
    const profile = profiles.get(name);
    const where = `profiles/${name}`;
    if (!(profile instanceof Map)) {
      found.push({ code: "bad_profile", where });
      continue;
    }
    found.push(...keys("bad_profile", where, profile, needed, ["default"]));
    if ((profile.get("default") ?? false) !== (name === "observe") || profile.get("default") === null) {
      found.push({ code: "wrong_default", where: `${where}/default` });
    }
    if (extended !== "" && profile.get("extends") !== extended) {
      found.push({ code: "bad_profile", where: `${where}/extends` });
    }
    const key = name === "observe" ? "tools" : "adds_tools";
    const listed = texts(profile.get(key)) ?? [];
    for (const tool of listed.length > 0 ? listed : [""]) {
      if (!tools.has(tool)) found.push({ code: "unknown_tool", where: `${where}/${key}/${tool}` });
      if (held.has(tool)) found.push({ code: "bad_profile", where: `${where}/${key}/${tool}` });
      held.add(tool);
    }
    if (name === "execute") found.push(...wrongWithExecute(profile, where));
  }
  return [...found, ...wrongWithFull(profiles.get("full"))];
}

function wrongWithExecute(profile: Members, where: string): Finding[] {
  return [
    { code: "never_field_drift", key: "never_model_facing_fields" },
    { code: "bad_profile", key: "requires_all_of" },
  ]
    .filter(({ key }) => (texts(profile.get(key)) ?? []).length === 0)
    .map(({ code, key }) => ({ code, where: `${where}/${key}` }));
}

function wrongWithFull(full: Value | undefined): Finding[] {
  if (!(full instanceof Map)) return [{ code: "bad_profile", where: "profiles/full" }];
  const found = keys("bad_profile", "profiles/full", full, ["opt_in_only", "tools"], ["default"]);
  if (full.get("tools") !== "*") found.push({ code: "full_not_star", where: "profiles/full/tools" });
  for (const [key, wanted] of [
    ["default", false],
    ["opt_in_only", true],
  ] as const) {
    if (full.has(key) && full.get(key) !== wanted) found.push({ code: "wrong_default", where: `profiles/full/${key}` });
  }
  return found;
}

function isNaming(naming: Value | undefined): boolean {
  if (!(naming instanceof Map) || naming.size !== 2) return false;
  const prefix = naming.get("prefix");
  const fits = typeof prefix === "string" && /^[a-z][a-z0-9_]*_$/.test(prefix);
  return fits && naming.get("pattern") === `^${prefix}[a-z0-9_]+$`;
}

function keys(code: string, where: string, held: Members, needed: readonly string[], may: readonly string[] = []): Finding[] {
  return [...new Set([...needed, ...held.keys()])]
    .filter((key) => needed.includes(key) !== held.has(key) && !may.includes(key))
    .map((key) => ({ code, where: where === "" ? key : `${where}/${key}` }));
}
