#!/usr/bin/env node
/** usage: check-parity [--root DIR]
 *
 * The twin of scripts/check-parity.py: the same lines and the same exit code for the same tree. Whether every embedded
 * copy of the profile contract, contract.py or contract.ts, says what contracts/integration-tool-contract.json says.
 * Exit 0: all are alike. 1: the contract is wrong, or a copy drifted, computes or is missing. 2: usage, no contract, or
 * no copy at all.
 */

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { argv, cwd, exit, stderr, stdout } from "node:process";
import { drift } from "./parity/drift.js";
import { line, type Finding } from "./parity/finding.js";
import { NotStrictError, parsed, type Value } from "./parity/json.js";
import { embedded } from "./parity/module.js";
import { modules, textOf, without } from "./parity/tree.js";
import { wrongWith } from "./parity/wrong.js";

const CONTRACT = "contracts/integration-tool-contract.json";

export function check(root: string): number {
  const source = join(root, CONTRACT);
  if (!existsSync(source)) {
    stderr.write(`check-parity: there is no ${CONTRACT}; --root names the folder that holds it\n`);
    return 2;
  }
  const found = modules(root);
  if (found.length === 0) {
    stderr.write("check-parity: no module found; an embedded copy is called contract.py or contract.ts\n");
    return 2;
  }
  const text = textOf(source);
  let contract: Value;
  try {
    contract = parsed(text ?? "");
  } catch (problem) {
    stdout.write(`${line(CONTRACT, [{ code: text === null ? "unreadable" : codeOf(problem), where: "" }])}\n`);
    return 1;
  }
  const told = new Map<string, readonly Finding[]>();
  for (const path of found) told.set(path, verdict(join(root, path), contract));
  for (const path of without(root, found)) told.set(path, [{ code: "missing_module", where: "" }]);
  const lines: [string, readonly Finding[]][] = [[CONTRACT, wrongWith(contract)]];
  for (const path of [...told.keys()].sort()) lines.push([path, told.get(path) ?? []]);
  for (const [path, findings] of lines) stdout.write(`${line(path, findings)}\n`);
  return lines.some(([, findings]) => findings.length > 0) ? 1 : 0;
}

function verdict(path: string, contract: Value): Finding[] {
  const text = textOf(path);
  if (text === null) return [{ code: "unreadable", where: "" }];
  try {
    return drift(contract, embedded(text, path.endsWith(".py")));
  } catch (problem) {
    return [{ code: codeOf(problem), where: "" }];
  }
}

function codeOf(problem: unknown): string {
  if (problem instanceof NotStrictError) return problem.code;
  throw problem;
}

function main(given: readonly string[]): number {
  if (given.length === 0) return check(cwd());
  const [option, root] = given;
  const isFolder = root !== undefined && existsSync(root) && statSync(root).isDirectory();
  if (given.length === 2 && option === "--root" && isFolder) return check(root);
  stderr.write("usage: check-parity [--root DIR]\n");
  return 2;
}

exit(main(argv.slice(2)));
