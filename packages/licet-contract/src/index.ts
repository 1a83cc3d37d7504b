/** The profile contract: types, profiles, stripping, scrubbing and flat names. */

export { CONTRACT } from "./contract.js";
export { Fields, fold } from "./fields.js";
export { flatName } from "./flat.js";
export { fieldsOf, forwarded, guarded, type Advertised } from "./guard.js";
export {
  contract,
  DEFAULT_PROFILE,
  engineTool,
  exposed,
  missing,
  NEVER_MODEL_FACING,
  profile,
  PROFILE_NAMES,
} from "./profiles.js";
export { carries, scrubbed, type Scrubbed } from "./scrub.js";
export { stripped } from "./strip.js";
export { ContractError } from "./types.js";
export type { ContractFile, EngineTool, Json, JsonObject, Profile, ProfileName, RunMode } from "./types.js";
