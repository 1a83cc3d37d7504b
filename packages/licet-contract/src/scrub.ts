/** Arguments without the fields that no model may set: taken out, or the reason why the call is refused. */

import type { Fields } from "./fields.js";
import { ContractError, type Json, type JsonObject } from "./types.js";

const ESCAPED = /\\+u([0-9A-Fa-f]{4})/g;
const QUOTED = /["']([^"']{1,200})["']\s*:/g;
const BARE = /[{,]\s*([^\s"'{}\[\],:]{1,200})\s*:/g;
const MOST_ESCAPES = 8;

/** `removed` are JSON pointers, in order. */
export interface Scrubbed {
  readonly arguments: JsonObject;
  readonly removed: readonly string[];
}

/** Members under exactly a field's name go, at any depth. Throws ContractError `never_model_facing`: something is only
 * written like one, or a text carries JSON that holds one. */
export function scrubbed(given: JsonObject, fields: Fields): Scrubbed {
  const removed: string[] = [];
  const told: [string, Json][] = [];
  for (const [key, value] of Object.entries(given)) {
    const at = `/${escaped(key)}`;
    if (!goes(key, fields, at, removed)) told.push([key, fields.free.has(key) ? value : inside(value, fields, at, removed)]);
  }
  return { arguments: Object.fromEntries(told), removed };
}

/** Whether a text holds JSON, or what a lenient reader takes for it, with a member that is called like a field. */
export function carries(text: string, fields: Fields): boolean {
  let plain = text;
  if (!plain.includes(":") && !plain.includes("\\")) return false;
  if (plain.includes("\\")) {
    let passes = 0;
    for (; passes < MOST_ESCAPES; passes += 1) {
      const next = plain.replace(ESCAPED, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
      if (next === plain) break;
      plain = next;
    }
    if (passes === MOST_ESCAPES) return true;
    plain = plain.replaceAll("\\", "");
  }
  if (names(plain, QUOTED).some((name) => fields.isOne(name))) return true;
  return /^[{[]/.test(plain.trimStart()) && names(plain, BARE).some((name) => fields.isOne(name));
}

function inside(value: Json, fields: Fields, at: string, removed: string[]): Json {
  if (typeof value === "string") {
    if (carries(value, fields)) throw refusal(at, "the text carries JSON with an argument that is not a model's to set");
    return value;
  }
  if (Array.isArray(value)) return value.map((item: Json, index) => inside(item, fields, `${at}/${index}`, removed));
  if (typeof value !== "object" || value === null) return value;
  const told: [string, Json][] = [];
  for (const [key, held] of Object.entries(value)) {
    const here = `${at}/${escaped(key)}`;
    if (!goes(key, fields, here, removed)) told.push([key, inside(held, fields, here, removed)]);
  }
  return Object.fromEntries(told);
}

function goes(key: string, fields: Fields, at: string, removed: string[]): boolean {
  if (fields.names.has(key)) {
    removed.push(at);
    return true;
  }
  if (fields.isOne(key)) throw refusal(at, "it is written like an argument that is not a model's to set");
  return false;
}

function names(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((found) => found[1] ?? "");
}

function refusal(at: string, problem: string): ContractError {
  return new ContractError("never_model_facing", `${at}: ${problem}; leave it out`);
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
