/* SPDX-License-Identifier: MIT */
/*
 * The JSON style of lines, an object for each record:
 *
 *	{"time":4242.000000123,"pid":29600,"event":"blk_read","args":{"offset":4096}}
 *	{"time":4243.000000500,"pid":29600,"gap":{"lost":17,"overwritten":0,...}}
 *
 * With several traces each object has the path of its trace after "time", as "trace". Numbers keep
 * all their digits. Pointers and bytes are strings in hex. NULL and floats that are not finite are
 * null. The value of a callback is its text by {:?}. The bytes of an undeclared event are "raw", in
 * hex. Strings that the recorder cut are listed after "args", as "cut":["path"].
 */
#include <string.h>

#include "view/gap.h"
#include "view/lines.h"
#include "view/message/json.h"
#include "view/message/number.h"
#include "view/message/steps.h"

static char *put_text(char *out, const char *text)
{
	size_t length = strlen(text);

	memcpy(out, text, length);
	return out + length;
}

static char *put_origin(char *out, const struct lines *v, const struct record *rec)
{
	const struct reader *r = v->reader;
	const char *path = r->traces[rec->trace].path;

	if (path) {
		out = json_put_string(put_text(out, ",\"trace\":"), path, strlen(path));
	}
	if (r->has_hosts) {
		const char *host = r->traces[rec->trace].hostname;
		size_t length = strlen(host);

		out = put_text(out, ",\"host\":");
		out = length ? json_put_string(out, host, length < LINES_HOST ? length : LINES_HOST)
			     : put_text(out, "null");
	}
	if (reader_knows_pid(r, rec->trace, rec->pid)) {
		out = number_decimal(put_text(out, ",\"pid\":"), rec->pid);
	}
	if (rec->tid) {
		out = number_decimal(put_text(out, ",\"tid\":"), rec->tid);
	}
	*out++ = ',';
	return out;
}

/* Puts the payload of an undeclared event. */
static char *put_raw(char *out, const struct message *m, const struct record *rec)
{
	(void)m;
	for (size_t i = 0; i < rec->payload_size; i++) {
		out = number_hex(out, rec->payload[i], 2);
	}
	return put_text(out, "\"}");
}

static void compile(struct lines *v, struct message *m, const struct event_class *class)
{
	const struct message_look look = { .fields = v->fields, .field_count = v->field_count };
	struct steps s;

	steps_init(&s, m, &v->arena, class);
	m->put_raw = class->event ? NULL : put_raw;
	m->expansion = JSON_EXPANSION;
	out_str(&s.text, "\"event\":");
	json_out_string(&s.text, class->name);
	out_str(&s.text, class->event ? ",\"args\":{" : ",\"raw\":\"");
	message_add_members(&s, &look, v->reader->form);
	out_str(&s.text, class->event ? "}" : "");
	message_add_cut(&s);
	out_str(&s.text, class->event ? "}" : "");
	steps_add(&s, (struct message_step){ .op = MESSAGE_END });
	steps_link(&s, v->reader->form);
}

static void put_gap(struct lines *v, const struct record *rec)
{
	out_str(v->out, "\"gap\":{");
	gap_put_json(v->out, &rec->gap);
	out_str(v->out, "}}\n");
}

const struct lines_style lines_json = {
	.before_time = "{\"time\":",
	.before_gap = "",
	.tells_tid = true,
	.tells_trace = true,
	.put_origin = put_origin,
	.compile = compile,
	.put_gap = put_gap,
};
