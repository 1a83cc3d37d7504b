// The client of the TypeScript SDK as a process: what it sees of a server, as one JSON document.
//
// usage: node client.mjs CALLS stdio COMMAND [ARGUMENT ...]
//        node client.mjs CALLS http URL
//
// CALLS is a JSON object: the tools to call, and the arguments of each. The SDK is found from the working directory.

import { createRequire } from "node:module";
import { join } from "node:path";

const required = createRequire(join(process.cwd(), "client.mjs"));
const sdk = "@modelcontextprotocol/sdk/client/";
const { Client } = required(sdk + "index.js");
const { StdioClientTransport } = required(sdk + "stdio.js");
const { StreamableHTTPClientTransport } = required(sdk + "streamableHttp.js");

const [calls, how, ...where] = process.argv.slice(2);
const transport =
  how === "http"
    ? new StreamableHTTPClientTransport(new URL(where[0]))
    : new StdioClientTransport({ command: where[0], args: where.slice(1), env: process.env });
const client = new Client({ name: "peer", version: "1.0.0" });
let protocol;
transport.setProtocolVersion = ((inherited) => (version) => {
  protocol = version;
  inherited?.call(transport, version);
})(transport.setProtocolVersion);

await client.connect(transport);
const { tools } = await client.listTools();
const said = {};
for (const [name, args] of Object.entries(JSON.parse(calls))) {
  said[name] = await client.callTool({ name, arguments: args });
}
await client.close();
console.log(JSON.stringify({ protocol, tools: tools.map((tool) => tool.name), said }));
