/** What an embedded module holds, of either language: one literal between two lines, and nothing that computes. */

import { NotStrictError, parsed, type Value } from "./json.js";

interface Language {
  readonly begin: string;
  readonly end: string;
  readonly before: RegExp;
  readonly after: RegExp;
  readonly region: RegExp;
}

const PYTHON: Language = {
  begin: "# BEGIN CONTRACT",
  end: "# END CONTRACT",
  before:
    /^(?:|#[ -~]*|"""[ !#-[\]-~]*"""|import json|from __future__ import annotations|from typing import (?:Any|Final)(?:, (?:Any|Final))*)$/,
  after: /^(?:|#[ -~]*)$/,
  region: /^[A-Z_]+(?:: Final(?:\[dict\[str, Any\]\])?|: dict\[str, Any\])? = json\.loads\(r'''([\s\S]*)'''\)\n$/,
};
const TYPESCRIPT: Language = {
  begin: "// BEGIN CONTRACT",
  end: "// END CONTRACT",
  before: /^(?:|\/\/[ -~]*|\/\*(?:(?!\*\/)[ -~])*\*\/)$/,
  after: /^(?:|\/\/[ -~]*)$/,
  region: /^export const [A-Z_]+ = (\{[\s\S]*\})(?: as const)?;\n$/,
};

/** Throws NotStrictError: `computed`, it is anything but strict JSON; or `duplicate_key`. */
export function embedded(source: string, isPython: boolean): Value {
  const language = isPython ? PYTHON : TYPESCRIPT;
  const text = source.replaceAll("\r\n", "\n");
  const lines = text.split("\n");
  const begin = lines.indexOf(language.begin);
  const end = lines.indexOf(language.end);
  const once = begin === lines.lastIndexOf(language.begin) && end === lines.lastIndexOf(language.end);
  if (text.includes("\r") || begin < 0 || end < begin || !once) throw new NotStrictError("computed");
  const before = lines.slice(0, begin);
  const inside = lines.slice(begin + 1, end).map((line) => `${line}\n`);
  const literal = language.region.exec(inside.join(""))?.[1];
  const plain =
    before.every((line) => language.before.test(line)) &&
    lines.slice(end + 1).every((line) => language.after.test(line)) &&
    !before.some((line) => /coding[:=]/.test(line));
  if (literal === undefined || !plain) throw new NotStrictError("computed");
  if (isPython && (before.filter((line) => line === "import json").length !== 1 || literal.includes("'''"))) {
    throw new NotStrictError("computed");
  }
  try {
    return parsed(literal);
  } catch (problem) {
    const isOther = problem instanceof NotStrictError && problem.code === "not_json";
    throw isOther ? new NotStrictError("computed") : problem;
  }
}
