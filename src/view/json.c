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

/* Returns the step for an argument of that type whose value may be of another kind. */
static enum message_op careful_op(const struct type *t)
{
	if (t->class != TYPE_INTEGER) {
		return MESSAGE_JSON_HEX; /* a number in place of a string is its address */
	}
	if (t->is_bool) {
		return MESSAGE_JSON_BOOL;
	}
	return t->is_signed ? MESSAGE_JSON_SIGNED : MESSAGE_JSON;
}

/* Like careful_op(), for values that always have their declared types. */
static enum message_op typed_op(const struct type *t)
{
	enum message_op op = careful_op(t);

	switch (op) {
	case MESSAGE_JSON_HEX:
		return t->class == TYPE_STRING ? op : MESSAGE_HEX;
	case MESSAGE_JSON_SIGNED:
		return MESSAGE_SIGNED;
	case MESSAGE_JSON:
		return MESSAGE_PROMOTED;
	default:
		return op;
	}
}

static void add_argument(struct steps *s, size_t i, bool is_first, enum value_form form)
{
	const struct arg *arg = &s->event->args[i];
	struct message_step step = {
		.arg = (uint16_t)i,
		.digits = 1,
		.op = (uint8_t)(form == VALUES_ANY ? careful_op(&arg->type) : typed_op(&arg->type)),
	};

	s->message->varies |= arg->type.class == TYPE_STRING;
	out_str(&s->text, is_first ? "" : ",");
	json_out_string(&s->text, arg->name);
	if (message_is_odd(&arg->type)) {
		out_str(&s->text, ":");
		message_add_plain(s, i, MESSAGE_JSON_ODD);
		return;
	}
	out_str(&s->text, step.op == MESSAGE_HEX ? ":\"0x" : ":");
	steps_cast(&step, &arg->type, "", arg->type.is_signed);
	steps_simplify(&step);
	steps_add(s, step);
	out_str(&s->text, step.op == MESSAGE_HEX ? "\"" : "");
}

/* Adds the list of cut strings. Makes their names' JSON only once. */
static void add_cut(struct steps *s)
{
	const char **names = arena_array(s->arena, const char *, s->message->args);

	for (size_t i = 0; i < s->message->args; i++) {
		const char *name = s->event->args[i].name;
		char *text = arena_alloc(s->arena, JSON_EXPANSION * strlen(name) + JSON_QUOTES + 1);

		*json_put_string(text, name, strlen(name)) = '\0';
		names[i] = text;
		s->message->room += strlen(text) + 1;
	}
	s->message->room += NUMBER_ROOM; /* for the text around them */
	steps_add(s, (struct message_step){ .op = MESSAGE_JSON_CUT,
			     .arg = (uint16_t)s->message->args,
			     .names = names });
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

/* Adds all arguments, or only the fields to show. */
static void add_arguments(struct steps *s, const struct lines *v)
{
	size_t added = 0;

	for (size_t i = 0; v->field_count == 0 && i < s->message->args; i++) {
		add_argument(s, i, i == 0, v->reader->form);
	}
	for (size_t i = 0; s->event && i < v->field_count; i++) {
		int arg = event_find_arg(s->event, v->fields[i], strlen(v->fields[i]));

		if (arg >= 0) {
			add_argument(s, (size_t)arg, added++ == 0, v->reader->form);
		}
	}
}

static void compile(struct lines *v, struct message *m, const struct event_class *class)
{
	struct steps s;

	steps_init(&s, m, &v->arena, class);
	m->put_raw = class->event ? NULL : put_raw;
	m->expansion = JSON_EXPANSION;
	out_str(&s.text, "\"event\":");
	json_out_string(&s.text, class->name);
	out_str(&s.text, class->event ? ",\"args\":{" : ",\"raw\":\"");
	add_arguments(&s, v);
	out_str(&s.text, class->event ? "}" : "");
	if (m->args > 0 && m->varies) {
		add_cut(&s);
	}
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
