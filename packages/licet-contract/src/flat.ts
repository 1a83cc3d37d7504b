/** Flat names: the contract's prefix and the name that a tool has over MCP. Never hashed. */

import { contract, engineTool } from "./profiles.js";
import { ContractError } from "./types.js";

const FITS = new RegExp(contract.external_tool_name_convention.pattern);
const MOST_CHARACTERS = 64;

/** Throws ContractError `no_flat_name`: it would not match the contract's pattern. */
export function flatName(tool: string): string {
  const flat = contract.external_tool_name_convention.prefix + (engineTool(tool) ?? tool);
  if (!FITS.test(flat) || flat.length > MOST_CHARACTERS) {
    throw new ContractError("no_flat_name", `${JSON.stringify(tool)} has no flat name that matches ${FITS.source}`);
  }
  return flat;
}
