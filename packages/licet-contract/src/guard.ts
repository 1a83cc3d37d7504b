/** One tool as a model may see it, and its arguments as the engine may get them. In every profile, full included. */

import { Fields } from "./fields.js";
import { engineTool, NEVER_MODEL_FACING } from "./profiles.js";
import { scrubbed, type Scrubbed } from "./scrub.js";
import { stripped } from "./strip.js";
import type { JsonObject } from "./types.js";

const FREE_PAYLOAD: { readonly [tool: string]: readonly string[] } = { execute_decision: ["metadata"] };

/** What a list of an MCP server holds of one tool, as far as a model sees it. */
export interface Advertised {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
}

/** The engine's fields that no model may see or set, for one of its tools. */
export function fieldsOf(tool: string): Fields {
  return new Fields(NEVER_MODEL_FACING, FREE_PAYLOAD[engineTool(tool) ?? tool] ?? []);
}

/** The tool without them: name, title, description and input schema only. */
export function guarded(tool: Advertised): Advertised {
  const fields = fieldsOf(tool.name);
  return {
    name: tool.name,
    ...(tool.title === undefined ? {} : { title: fields.unmentioned(tool.title) }),
    ...(tool.description === undefined ? {} : { description: fields.unmentioned(tool.description) }),
    inputSchema: stripped(tool.inputSchema, fields),
  };
}

/** A model's arguments without them. Throws ContractError `never_model_facing` where they are smuggled. */
export function forwarded(tool: string, given: JsonObject): Scrubbed {
  return scrubbed(given, fieldsOf(tool));
}
