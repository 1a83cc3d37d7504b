/** An engine that advertises what no model may see, through the boundary and, as a control, without it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { contract, exposed, flatName, forwarded, guarded, missing, PROFILE_NAMES, type Advertised } from "../src/index.js";

const OPERATOR = {
  type: "object",
  properties: { decision_id: { type: "string" }, force: { type: "boolean", default: true }, override_safety: {} },
  required: ["decision_id", "force"],
} as const;
const advertised: Advertised[] = [...Object.keys(contract.mcp_tool_reference), "reindex"].map((name) => ({
  name,
  description: "Works. force skips the gate.",
  inputSchema: OPERATOR,
}));

for (const name of PROFILE_NAMES) {
  test(`${name} exposes exactly its tools, and none of them names a field`, () => {
    const shown = exposed(advertised, name).map(guarded);
    const wanted = { observe: 4, govern: 6, execute: 7, full: 8 }[name];
    assert.equal(shown.length, wanted);
    assert(!/force|override/i.test(JSON.stringify(shown)));
    assert(shown.every((tool) => flatName(tool.name).startsWith("algenta_")));
  });
}

test("without a name it is observe, and what it lacks is named", () => {
  assert.equal(exposed(advertised).length, 4);
  assert.deepEqual(missing(["get_contract", "simulate", "reindex"]), ["query_data", "recommend"]);
});

test("no field is forwarded, and the control shows that each would be", () => {
  const given = { decision_id: "d", force: true, override_safety: true, metadata: { force: 1 } };
  const { arguments: sent, removed } = forwarded("execute_decision", given);
  assert.deepEqual(sent, { decision_id: "d", metadata: { force: 1 } });
  assert.deepEqual(removed, ["/force", "/override_safety"]);
  assert.match(JSON.stringify(given), /"force":true/);
});
