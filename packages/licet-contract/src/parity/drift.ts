/** Everything in which an embedded copy differs from the contract. */

import type { Finding } from "./finding.js";
import { NumberText, type Value } from "./json.js";
import { texts } from "./wrong.js";

export function drift(wanted: Value, held: Value, path: readonly string[] = []): Finding[] {
  if (wanted instanceof Map && held instanceof Map) {
    return [...new Set([...wanted.keys(), ...held.keys()])].flatMap((key) => {
      const [here, one, other] = [[...path, key], wanted.get(key), held.get(key)];
      if (other === undefined) return [named(here, "missing_tool")];
      return one === undefined ? [named(here, "invented_tool")] : drift(one, other, here);
    });
  }
  if (alike(wanted, held)) return [];
  const last = path.at(-1) ?? "";
  const [want, have] = [texts(wanted), texts(held)];
  if (path[0] === "profiles" && (last === "tools" || last === "adds_tools") && want !== null && have !== null) {
    const found = [
      ...want.filter((tool) => !have.includes(tool)).map((tool) => ({ code: "missing_tool", tool })),
      ...have.filter((tool) => !want.includes(tool)).map((tool) => ({ code: "invented_tool", tool })),
    ].map(({ code, tool }) => ({ code, where: [...path, tool].join("/") }));
    return found.length > 0 ? found : [{ code: "drift", where: path.join("/") }];
  }
  return [named(path)];
}

/** A difference by where it is. `ofATool` is its code if it is a whole tool that is missing or invented. */
function named(path: readonly string[], ofATool = ""): Finding {
  const where = path.join("/");
  const last = path.at(-1) ?? "";
  if (path[0] === "mcp_tool_reference" && path.length === 2 && ofATool !== "") return { code: ofATool, where };
  if (path[0] !== "profiles") return { code: "drift", where };
  if (last === "default" || last === "opt_in_only") return { code: "wrong_default", where };
  if (where === "profiles/full/tools" && path.length === 3) return { code: "full_not_star", where };
  return { code: last === "never_model_facing_fields" ? "never_field_drift" : "bad_profile", where };
}

function alike(one: Value, other: Value): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => alike(item, other[index] ?? null));
  }
  if (one instanceof Map && other instanceof Map) {
    return one.size === other.size && [...one].every(([key, held]) => other.has(key) && alike(held, other.get(key) ?? null));
  }
  if (one instanceof NumberText && other instanceof NumberText) return one.written === other.written;
  return one === other;
}
