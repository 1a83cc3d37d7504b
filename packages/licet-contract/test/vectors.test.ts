/** The vectors that both languages share. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { ContractError, Fields, flatName, profile, scrubbed, stripped, type JsonObject } from "../src/index.js";

interface Vectors {
  readonly fields: { readonly never: string[]; readonly free: string[] };
  readonly strip: { readonly title: string; readonly schema: JsonObject; readonly stripped: JsonObject }[];
  readonly scrub: {
    readonly title: string;
    readonly arguments: JsonObject;
    readonly scrubbed?: JsonObject;
    readonly removed?: string[];
    readonly refused_at?: string;
  }[];
  readonly flat: { readonly tool: string; readonly flat?: string }[];
  readonly profiles: {
    readonly name: string | null;
    readonly tools?: string[] | null;
    readonly mode?: string;
    readonly refused?: boolean;
  }[];
}

const path = new URL("../../../../contracts/vectors.json", import.meta.url);
const vectors = JSON.parse(readFileSync(path, "utf-8")) as Vectors;
const fields = new Fields(vectors.fields.never, vectors.fields.free);

for (const vector of vectors.strip) {
  test(`a schema is stripped: ${vector.title}`, () => {
    assert.deepEqual(stripped(vector.schema, fields), vector.stripped);
  });
}

for (const vector of vectors.scrub) {
  test(`arguments are scrubbed or refused: ${vector.title}`, () => {
    if (vector.refused_at === undefined) {
      assert.deepEqual(scrubbed(vector.arguments, fields), { arguments: vector.scrubbed, removed: vector.removed });
      return;
    }
    assert.throws(() => scrubbed(vector.arguments, fields), (problem) => {
      assert(problem instanceof ContractError);
      assert.equal(problem.code, "never_model_facing");
      assert(problem.message.startsWith(`${vector.refused_at}: `), problem.message);
      return true;
    });
  });
}

for (const vector of vectors.flat) {
  test(`a flat name: ${JSON.stringify(vector.tool)}`, () => {
    if (vector.flat === undefined) assert.throws(() => flatName(vector.tool), { code: "no_flat_name" });
    else assert.equal(flatName(vector.tool), vector.flat);
  });
}

for (const vector of vectors.profiles) {
  test(`a profile: ${JSON.stringify(vector.name)}`, () => {
    const asked = () => (vector.name === null ? profile() : profile(vector.name));
    if (vector.refused === true) assert.throws(asked, { code: "unknown_profile" });
    else assert.deepEqual([asked().tools, asked().mode], [vector.tools, vector.mode]);
  });
}
