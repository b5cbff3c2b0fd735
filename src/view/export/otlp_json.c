/* SPDX-License-Identifier: MIT */
/*
 * OTLP in JSON: attributes, and requests, each an ExportTraceServiceRequest. OTLP has no integers
 * above 2^63 - 1, and JSON has its integers as strings: a larger number, and a pointer, is text.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "format/uuid.h"
#include "view/export/otlp.h"
#include "view/message/json.h"
#include "view/message/message.h"
#include "view/message/number.h"

/* ---- Attributes ---- */

void otlp_put_comma(struct out *out)
{
	if (out->len > 0 && out->data[out->len - 1] != '[') {
		out_char(out, ',');
	}
}

void otlp_put_string(struct out *out, const char *text)
{
	size_t length = strlen(text);

	if (LIKELY(utf8_invalid(text, length) == length)) {
		json_out_text(out, text, length);
		return;
	}
	char *escaped = xcalloc(ESCAPE_MAX * length + 8, 1);
	char *end = message_escape(escaped, text, length);

	json_out_text(out, escaped, (size_t)(end - escaped));
	free(escaped);
}

/* Writes an attribute up to its value. */
static void begin_value(struct out *out, const char *key, const char *kind)
{
	otlp_put_comma(out);
	out_str(out, "{\"key\":");
	otlp_put_string(out, key);
	out_printf(out, ",\"value\":{\"%sValue\":", kind);
}

void otlp_put_text(struct out *out, const char *key, const char *text)
{
	begin_value(out, key, "string");
	otlp_put_string(out, text);
	out_str(out, "}}");
}

void otlp_put_number(struct out *out, const char *key, uint64_t number)
{
	begin_value(out, key, number > INT64_MAX ? "string" : "int");
	out_printf(out, "\"%" PRIu64 "\"}}", number);
}

static void put_real(struct out *out, double real)
{
	char text[NUMBER_ROOM];

	if (real - real == 0) {
		*number_real(text, real) = '\0';
		out_str(out, text);
	} else {
		out_str(out, real > 0 ? "\"Infinity\"" : real < 0 ? "\"-Infinity\"" : "\"NaN\"");
	}
}

void otlp_put_cell(struct out *out, const char *key, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NULL:
		return;
	case CELL_UNSIGNED:
		otlp_put_number(out, key, cell->number);
		return;
	case CELL_SIGNED:
		begin_value(out, key, "int");
		out_printf(out, "\"%" PRId64 "\"", (int64_t)cell->number);
		break;
	case CELL_BOOL:
		begin_value(out, key, "bool");
		out_str(out, cell->number ? "true" : "false");
		break;
	case CELL_POINTER:
		begin_value(out, key, "string");
		out_printf(out, "\"0x%" PRIx64 "\"", cell->number);
		break;
	case CELL_DOUBLE:
		begin_value(out, key, "double");
		put_real(out, cell->real);
		break;
	case CELL_TEXT:
		begin_value(out, key, "string");
		json_out_text(out, cell->text, cell->length);
		break;
	case CELL_BYTES:
		begin_value(out, key, "bytes");
		out_char(out, '"');
		out_base64(out, cell->text, cell->length);
		out_char(out, '"');
		break;
	}
	out_str(out, "}}");
}

void otlp_put_fields(struct out *out, const struct record *rec, size_t from)
{
	const struct event *e = rec->class->event;
	struct cell cell;

	if (!e) {
		cell = (struct cell){ .kind = CELL_BYTES,
			.text = (const char *)rec->payload,
			.length = rec->payload_size };
		otlp_put_cell(out, "raw", &cell);
		return;
	}
	for (size_t i = from; i < e->arg_count; i++) {
		if (!e->args[i].is_secret) {
			cell_set(&cell, &e->args[i], &rec->values[i], true);
			otlp_put_cell(out, e->args[i].name, &cell);
			cell_fini(&cell);
		}
	}
}

/* ---- Requests ---- */

static void put_resource(struct otlp *o, struct otlp_process process)
{
	const struct trace_info *info = &o->export->reader->traces[process.trace];
	bool is_known = reader_knows_pid(o->export->reader, process.trace, process.pid);
	bool is_own = info->procname && *info->procname && (info->pid == process.pid || !is_known);
	struct out *out = &o->request;
	char uuid[UUID_TEXT_SIZE];

	out_str(out, "{\"resource\":{\"attributes\":[");
	otlp_put_text(out, "service.name", is_own ? info->procname : "unknown_service");
	if (info->hostname && *info->hostname) {
		otlp_put_text(out, "host.name", info->hostname);
	}
	if (is_known) {
		otlp_put_number(out, "process.pid", process.pid);
	}
	if (info->uuid) {
		otlp_put_text(out, "waymark.trace.uuid", uuid_text(uuid, info->uuid));
	}
	out_str(out, "]},\"scopeSpans\":[{\"scope\":{\"name\":\"waymark\"},\"spans\":[");
}

struct out *otlp_begin_span(struct otlp *o, struct otlp_process process)
{
	struct out *out = &o->request;
	bool is_first = o->request_spans == 0;

	if (is_first || process.trace != o->process.trace || process.pid != o->process.pid) {
		out_str(out, is_first ? "{\"resourceSpans\":[" : "]}]},");
		put_resource(o, process);
		o->process = process;
	}
	otlp_put_comma(out);
	return out;
}

void otlp_end_span(struct otlp *o)
{
	o->request_spans++;
	o->counts.spans++;
	if (o->request.len >= OTLP_REQUEST_MAX) {
		otlp_flush(o);
	}
}

void otlp_flush(struct otlp *o)
{
	const struct export *e = o->export;
	struct out *out = &o->request;

	if (o->request_spans == 0 || o->has_failed) {
		return;
	}
	out_str(out, "]}]}]}");
	if (e->send) {
		o->has_failed = !e->send(e->to, out->data, out->len, o->request_spans);
	} else {
		out_char(out, '\n');
		out_bytes(e->out, out->data, out->len);
	}
	out->len = 0;
	o->request_spans = 0;
}
