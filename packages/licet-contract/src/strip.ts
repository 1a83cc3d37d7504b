/** A schema without the fields that no model may see, wherever a schema can name them. */

import type { Fields } from "./fields.js";
import type { Json, JsonObject } from "./types.js";

const POINTS = new Set(["$ref", "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "$id", "pattern"]);

/** A copy; members called like a field go with all below them, its names go from lists, mentions from texts. */
export function stripped(schema: JsonObject, fields: Fields): JsonObject {
  return members(schema, fields);
}

function without(value: Json, fields: Fields): Json {
  if (typeof value === "string") return fields.unmentioned(value);
  if (Array.isArray(value)) {
    return value.filter((item: Json) => !isName(item, fields)).map((item: Json) => without(item, fields));
  }
  return isObject(value) ? members(value, fields) : value;
}

function members(value: JsonObject, fields: Fields): JsonObject {
  const told: [string, Json][] = [];
  for (const [key, inside] of Object.entries(value)) {
    let held: Json = inside;
    if (fields.isOne(key) || (POINTS.has(key) && typeof held === "string" && fields.isMentioned(held))) continue;
    if (key === "const" && isName(held, fields)) return { not: {} };
    if (key === "patternProperties" && isObject(held)) {
      held = Object.fromEntries(Object.entries(held).filter(([pattern]) => !fields.isMentioned(pattern)));
    }
    const rest = without(held, fields);
    if (key === "enum" && isEmpty(rest) && !isEmpty(held)) return { not: {} };
    told.push([key, rest]);
  }
  return Object.fromEntries(told);
}

function isName(value: Json, fields: Fields): boolean {
  return typeof value === "string" && fields.isOne(value);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isEmpty(value: Json): boolean {
  return Array.isArray(value) && value.length === 0;
}
