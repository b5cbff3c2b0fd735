// SPDX-License-Identifier: MIT
// A receiver of OTLP over HTTP, made of the declarations in OpenTelemetry's package otlp-transformer: decodes each
// request, as JSON and once more as protobuf, and answers with what it has. A member that the declarations do not have
// is lost on that way, so a request that comes out different is refused. otlp_receiver.js FOLDER: prints its port.
"use strict";
const assert = require("assert");
const http = require("http");
const path = require("path");

const folder = path.join(path.resolve(process.argv[2]), "node_modules/@opentelemetry/otlp-transformer");
const root = require(path.join(folder, "build/src/generated/root"));
const { ExportTraceServiceRequest, ExportTraceServiceResponse } = root.opentelemetry.proto.collector.trace.v1;
const IDS = ["traceId", "spanId", "parentSpanId"];
const received = [];

// OTLP has ids in hexadecimal, where the JSON of protobuf has base64.
function recode(of, from, to) {
	if (Array.isArray(of)) {
		return of.map((item) => recode(item, from, to));
	}
	if (of === null || typeof of !== "object") {
		return of;
	}
	return Object.fromEntries(Object.entries(of)
		.filter(([, value]) => !(Array.isArray(value) && value.length === 0))
		.map(([key, value]) => [key, IDS.includes(key) ? Buffer.from(value, from).toString(to) :
			recode(value, from, to)]));
}

function decode(text) {
	const given = recode(JSON.parse(text), "hex", "base64");
	const message = ExportTraceServiceRequest.fromObject(given);
	assert.strictEqual(ExportTraceServiceRequest.verify(message), null);
	const again = ExportTraceServiceRequest.decode(ExportTraceServiceRequest.encode(message).finish());
	const got = ExportTraceServiceRequest.toObject(again, { longs: String, bytes: String, json: true });
	assert.deepStrictEqual(got, given);
	return recode(got, "base64", "hex");
}

const server = http.createServer((request, response) => {
	const parts = [];
	request.on("data", (part) => parts.push(part));
	request.on("end", () => {
		if (request.method === "GET") {
			response.end(JSON.stringify(received));
			return;
		}
		try {
			assert.strictEqual(request.url, "/v1/traces");
			assert.strictEqual(request.headers["content-type"], "application/json");
			received.push(decode(new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts))));
			response.end(JSON.stringify(ExportTraceServiceResponse.toObject(ExportTraceServiceResponse.create())));
		} catch (error) {
			response.statusCode = 400;
			response.end(JSON.stringify({ message: String(error).slice(0, 2000) }));
		}
	});
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
