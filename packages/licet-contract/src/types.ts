/** The contract's facts, and JSON. */

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export type ProfileName = "observe" | "govern" | "execute" | "full";
export type RunMode = "read_only" | "workspace_write";

/** One of the engine's tools, under the name that it has over MCP. */
export interface EngineTool {
  readonly category: "utility" | "read" | "search" | "write" | "shell";
  readonly description: string;
  readonly read_only: boolean;
  readonly aliases?: readonly string[];
  readonly safety_critical?: boolean;
}

/** The contract file, as it is written. */
export interface ContractFile {
  readonly contract_version: string;
  readonly external_tool_name_convention: { readonly prefix: string; readonly pattern: string };
  readonly mcp_tool_reference: { readonly [tool: string]: EngineTool };
  readonly profiles: {
    readonly observe: { readonly default: true; readonly tools: readonly string[] };
    readonly govern: { readonly extends: "observe"; readonly adds_tools: readonly string[] };
    readonly execute: {
      readonly extends: "govern";
      readonly adds_tools: readonly string[];
      readonly requires_all_of: readonly string[];
      readonly never_model_facing_fields: readonly string[];
    };
    readonly full: { readonly tools: "*"; readonly opt_in_only: true };
  };
  readonly conformance: { readonly checked_by: readonly string[] };
}

/** `tools` are own names in the contract's order; null is everything that the engine advertises. */
export interface Profile {
  readonly name: ProfileName;
  readonly tools: readonly string[] | null;
  readonly mode: RunMode;
}

/** An argument or a name that is refused; `code` is stable. */
export class ContractError extends Error {
  constructor(
    readonly code: "unknown_profile" | "no_flat_name" | "never_model_facing",
    message: string,
  ) {
    super(message);
    this.name = "ContractError";
  }
}
