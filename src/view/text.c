/* SPDX-License-Identifier: MIT */
/*
 * The text style of lines, for people:
 *
 *	4242.000000123 29600 blk_read offset 4096 length 512
 *
 * The line of a gap begins with `#`. If hosts differ, the host precedes the process. On demand the
 * thread follows it, as 29600/29603.
 */
#include <string.h>

#include "view/gap.h"
#include "view/lines.h"
#include "view/message/number.h"

#define COLOUR_NAME "\033[36m"
#define COLOUR_GAP "\033[31m"
#define COLOUR_OFF "\033[0m"

static char *put_host(char *out, const char *host)
{
	size_t length = strlen(host);

	if (length == 0) {
		*out++ = '-'; /* unknown: keeps the columns in place */
	}
	out = message_escape(out, host, length < LINES_HOST ? length : LINES_HOST);
	*out++ = ' ';
	return out;
}

static char *put_origin(char *out, const struct lines *v, const struct record *rec)
{
	const struct reader *r = v->reader;

	*out++ = ' ';
	if (r->has_hosts) {
		out = put_host(out, r->traces[rec->trace].hostname);
	}
	if (reader_knows_pid(r, rec->trace, rec->pid)) {
		out = number_decimal(out, rec->pid);
	} else {
		*out++ = '-';
	}
	if (v->tid_mask && rec->tid) {
		*out++ = '/';
		out = number_decimal(out, rec->tid);
	}
	*out++ = ' ';
	return out;
}

static void compile(struct lines *v, struct message *m, const struct event_class *class)
{
	char *name = message_name(&v->arena, class);

	if (v->colour) {
		name = arena_printf(&v->arena, COLOUR_NAME "%s" COLOUR_OFF, name);
	}
	const struct message_look look = {
		.lead = name, .fields = v->fields, .field_count = v->field_count
	};

	message_compile_look(m, &v->arena, class, &look, v->reader->form);
}

static void put_gap(struct lines *v, const struct record *rec)
{
	out_str(v->out, v->colour ? COLOUR_GAP : "");
	gap_put_text(v->out, &rec->gap);
	out_str(v->out, v->colour ? COLOUR_OFF "\n" : "\n");
}

const struct lines_style lines_text = {
	.before_time = "",
	.before_gap = "# ",
	.for_people = true,
	.put_origin = put_origin,
	.compile = compile,
	.put_gap = put_gap,
};
