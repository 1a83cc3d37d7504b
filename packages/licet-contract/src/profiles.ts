/** Profiles: which tools an integration exposes, `observe` unless another is asked for. */

import { CONTRACT } from "./contract.js";
import { ContractError, type ContractFile, type EngineTool, type Profile, type ProfileName } from "./types.js";

export const contract: ContractFile = CONTRACT;
export const PROFILE_NAMES: readonly ProfileName[] = ["observe", "govern", "execute", "full"];
export const DEFAULT_PROFILE: ProfileName = "observe";
export const NEVER_MODEL_FACING: readonly string[] = contract.profiles.execute.never_model_facing_fields;

const REFERENCE = new Map<string, EngineTool>(Object.entries(contract.mcp_tool_reference));
const LISTED: ReadonlyMap<string, readonly string[] | null> = listed();

/** The profile of that name; without one `observe`. Throws ContractError `unknown_profile`. */
export function profile(name: string = DEFAULT_PROFILE): Profile {
  const tools = LISTED.get(name);
  if (tools === undefined) {
    throw new ContractError("unknown_profile", `there is no profile ${JSON.stringify(name)}; use ${PROFILE_NAMES.join(", ")}`);
  }
  const onlyReads = tools !== null && tools.every((tool) => REFERENCE.get(tool)?.read_only === true);
  return { name: name as ProfileName, tools, mode: onlyReads ? "read_only" : "workspace_write" };
}

/** Of the tools that an engine advertises those that the profile exposes, in the engine's order. */
export function exposed<T extends { readonly name: string }>(advertised: readonly T[], name?: string): T[] {
  const { tools } = profile(name);
  return advertised.filter((tool) => tools === null || tools.includes(engineTool(tool.name) ?? tool.name));
}

/** Tools of the profile that the engine does not advertise: warn, and expose what is there. */
export function missing(advertised: readonly string[], name?: string): string[] {
  const there = new Set(advertised.map((tool) => engineTool(tool) ?? tool));
  return (profile(name).tools ?? []).filter((tool) => !there.has(tool));
}

/** The contract's name of a tool, by that name or an alias of it. */
export function engineTool(name: string): string | undefined {
  if (REFERENCE.has(name)) return name;
  for (const [tool, told] of REFERENCE) if (told.aliases?.includes(name)) return tool;
  return undefined;
}

function listed(): Map<string, readonly string[] | null> {
  const { observe, govern, execute } = contract.profiles;
  const governing = [...observe.tools, ...govern.adds_tools];
  return new Map<string, readonly string[] | null>([
    ["observe", observe.tools],
    ["govern", governing],
    ["execute", [...governing, ...execute.adds_tools]],
    ["full", null],
  ]);
}
