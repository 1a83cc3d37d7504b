// A subject in JavaScript: a small tool runtime, and the JSON lines that the conformance suite speaks with it.
// With the path of the package licet-contract behind it, it has profiles, too: node subject.mjs dist/src/index.js
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const contract = process.argv[2] ? await import(pathToFileURL(process.argv[2])) : null;

// --- the runtime that is examined: yours goes here ---

let tools = new Map();
let isProfiled = false;

function profiled(all, profile) {
  const shown = contract.exposed(all, profile ?? undefined).map((tool) => tool.name);
  return all.filter((tool) => shown.includes(tool.name)).map((tool) => {
    const told = contract.guarded({ name: tool.name, description: tool.description, inputSchema: tool.input_schema });
    return { ...tool, description: told.description, input_schema: told.inputSchema };
  });
}

function kept(name, args) {
  try {
    return isProfiled ? contract.forwarded(name, args).arguments : args;
  } catch {
    return undefined; // it sets what no model may set, in disguise
  }
}

function problem(schema, value, root) {
  if (schema.$ref) return problem(schema.$ref.slice(2).split("/").reduce((at, key) => at[key], root), value, root);
  if (schema.enum && !schema.enum.includes(value)) return "not listed";
  if (schema.oneOf && schema.oneOf.filter((one) => !problem(one, value, root)).length !== 1) return "fits no branch";
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  const types = [].concat(schema.type ?? []).map((type) => (type === "integer" ? "number" : type));
  if (types.length && !types.includes(kind)) return `no ${types}`;
  if (schema.type === "integer" && !Number.isInteger(value)) return "no integer";
  if (value > schema.maximum || value < schema.minimum) return "beyond its bounds";
  if (kind === "array") {
    if (value.length < schema.minItems) return "too short";
    return value.map((item) => problem(schema.items ?? {}, item, root)).find(Boolean);
  }
  if (kind !== "object") return undefined;
  const missing = (schema.required ?? []).find((key) => !Object.hasOwn(value, key));
  if (missing) return `${missing} is missing`;
  for (const [key, inner] of Object.entries(value)) {
    const known = Object.hasOwn(schema.properties ?? {}, key);
    if (!known && schema.additionalProperties === false) return `${key} is no argument`;
    const found = known && problem(schema.properties[key], inner, root);
    if (found) return `${key}: ${found}`;
  }
}

const failed = (code, words) => ({ ok: false, code, content: `${code}: ${words}` });

async function call(name, given, signal) {
  const tool = tools.get(name);
  if (!tool?.granted) return failed("unknown_tool", "there is no such tool");
  const args = kept(name, given);
  if (args === undefined) return failed("invalid_arguments", "no model may set this");
  const found = problem(tool.input_schema, args, tool.input_schema);
  if (found) return failed("invalid_arguments", found);
  try {
    const data = await execute(tool.name, args, signal);
    return { ok: true, content: JSON.stringify(data), data };
  } catch (error) {
    return failed("tool_failed", error.told ? error.message : "the tool failed");
  }
}

const answers = new Map(); // by call id: what comes again is answered again, and not carried out again

function once(name, args, id, signal) {
  if (!answers.has(id)) answers.set(id, call(name, args, signal));
  return answers.get(id);
}

// --- the suite: a message a line ---

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const executing = new Map();
const asked = new Map();
let executions = 0;

function execute(tool, args, signal) {
  return new Promise((resolve, reject) => {
    const id = ++executions;
    executing.set(id, { resolve, reject });
    signal.addEventListener("abort", () => {
      say({ abandon: id });
      reject(new Error("cancelled"));
    });
    say({ execute: id, tool, arguments: args });
  });
}

function settle(message) {
  const waiting = executing.get(message.execute);
  executing.delete(message.execute);
  if (!("raise" in message)) waiting?.resolve(message.answer);
  else waiting?.reject(Object.assign(new Error(message.raise), { told: message.told }));
}

async function answer(message) {
  if (message.do === "setup") {
    const { options } = message;
    if (options.is_profiled && !contract) return { unsupported: "this runtime knows no profiles" };
    if (options.needs.includes("approval")) return { unsupported: "it asks nobody" };
    if (options.needs.includes("text")) return { unsupported: "its arguments are objects" };
    if (tools.size || options.source_is_dead) return { unsupported: "its tools have no source" };
    if (message.tools.some((tool) => !/^[A-Za-z0-9_-]{1,64}$/.test(tool.name))) return { unsupported: "it encodes no names" };
    isProfiled = options.is_profiled;
    const shown = isProfiled ? profiled(message.tools, options.profile) : message.tools;
    tools = new Map(shown.map((tool) => [tool.name, tool]));
    return { result: null };
  }
  if (message.do === "list") {
    const shown = [...tools.values()].filter((tool) => tool.granted);
    return { result: shown.map(({ name, description, input_schema }) => ({ name, description, input_schema })) };
  }
  if (message.do === "call") {
    const stop = new AbortController();
    asked.set(message.id, stop);
    return { result: await once(message.name, message.arguments, message.call_id, stop.signal) };
  }
  tools.clear(); // close: the same process is set up again for the next vector
  answers.clear();
  return { result: null };
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const message = JSON.parse(line);
  if ("execute" in message) return settle(message);
  if (message.do === "cancel") return asked.get(message.of)?.abort();
  say({ id: message.id, ...(await answer(message).catch((error) => ({ error: String(error) }))) });
});
