/* SPDX-License-Identifier: MIT */
/* The table of the page's questions, and their arguments. */
#include "cmd/view/answer/answers.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "view/message/json.h"

#define COLUMNS_MAX 4000

/* ---- Arguments ---- */

unsigned int answer_refuse(struct out *out, const char *name, const char *text)
{
	out->len = 0;
	out_str(out, "{\"error\":");
	json_out_string(out, name);
	out_printf(out, ",\"wanted\":\"%s\"}", text);
	return 400;
}

bool question_number(const struct question *q, const char *name, uint64_t *number)
{
	const char *text = q->get(q->data, name);
	size_t length = text ? strspn(text, "0123456789") : 0;

	if (length == 0 || length > 18 || text[length]) {
		return false;
	}
	*number = strtoull(text, NULL, 10);
	return true;
}

bool question_columns(const struct question *q, size_t *columns)
{
	uint64_t number;

	if (q->whole) {
		*columns = SIZE_MAX / 2; /* narrower than a nanosecond: nothing is joined */
		return true;
	}
	if (!question_number(q, "columns", &number) || number == 0 || number > COLUMNS_MAX) {
		return false;
	}
	*columns = (size_t)number;
	return true;
}

bool question_range(struct viewer *v, const struct question *q, struct time_range *range)
{
	uint64_t from;
	uint64_t to;

	if (!question_number(q, "from", &from) || !question_number(q, "to", &to) || from >= to) {
		return false;
	}
	range->from = viewer_time(v, from);
	range->to = viewer_time(v, to);
	return range->from < range->to;
}

bool question_tracks(const struct question *q, uint32_t *tracks, size_t *count)
{
	const char *text = q->get(q->data, "tracks");

	*count = 0;
	while (text && *text && *count < TRACKS_MAX) {
		size_t length = strspn(text, "0123456789");

		if (length == 0 || length > 9 || (text[length] && text[length] != ',')) {
			return false;
		}
		tracks[(*count)++] = (uint32_t)strtoul(text, NULL, 10);
		text += length + (text[length] == ',');
	}
	return *count > 0 && !*text;
}

unsigned int answer_stopped(struct out *out)
{
	out->len = 0;
	out_str(out, "{\"error\":\"stopped\"}");
	return 503;
}

/* ---- All ---- */

/* Asked by a page in view: the server notes the time of each question. */
static unsigned int answer_alive(struct viewer *v, const struct question *q, struct out *out)
{
	(void)v;
	(void)q;
	out_str(out, "{}");
	return 200;
}

#define JSON "application/json"

/*
 * A picture with a script: it runs in a sandbox, where it can reach neither the page nor this
 * server. Only this server's page may frame it.
 */
#define PICTURE_POLICY                                                                \
	"default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; " \
	"sandbox allow-scripts allow-modals; frame-ancestors 'self'"

typedef unsigned int answer_fn(struct viewer *v, const struct question *q, struct out *out);

static const struct question_row {
	const char *path;
	answer_fn *answer; /* NULL: `begin` begins a stream */
	unsigned int (*begin)(struct viewer *v, const struct question *q, struct view_reply *reply);
	bool is_long;
	const char *type;
	const char *policy;
	const char *file;
} rows[] = {
	{ "/api/alive", answer_alive, NULL, false, JSON, NULL, NULL },
	{ "/api/trace", answer_trace, NULL, false, JSON, NULL, NULL },
	{ "/api/tile", answer_tile, NULL, true, JSON, NULL, NULL },
	{ "/api/event", answer_event, NULL, false, JSON, NULL, NULL },
	{ "/api/find", answer_find, NULL, true, JSON, NULL, NULL },
	{ "/api/events", answer_events, NULL, false, JSON, NULL, NULL },
	{ VIEW_SWITCH, answer_switch, NULL, false, JSON, NULL, NULL },
	{ "/api/select", answer_select, NULL, true, JSON, NULL, NULL },
	{ "/api/sql", answer_sql, NULL, true, JSON, NULL, NULL },
	{ "/api/queries", answer_queries, NULL, true, JSON, NULL, NULL },
	{ "/api/flame", answer_flame, NULL, true, "image/svg+xml", PICTURE_POLICY, NULL },
	{ "/api/csv", NULL, answer_csv, true, "text/csv; charset=utf-8", NULL, "waymark.csv" },
	{ "/api/hits", answer_hits, NULL, true, JSON, NULL, NULL },
	{ "/api/overview", answer_overview, NULL, false, JSON, NULL, NULL },
	{ "/api/fields", answer_fields, NULL, false, JSON, NULL, NULL },
	{ "/api/curve", answer_curve, NULL, false, JSON, NULL, NULL },
	{ "/api/flow", answer_flow, NULL, true, JSON, NULL, NULL },
	{ "/api/sched", answer_sched, NULL, false, JSON, NULL, NULL },
	{ "/api/lives", answer_lives, NULL, false, JSON, NULL, NULL },
};

static const struct question_row *find_row(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].path, path) == 0) {
			return &rows[i];
		}
	}
	return NULL;
}

bool view_is_long(const char *path)
{
	const struct question_row *row = find_row(path);

	return row && row->is_long;
}

unsigned int view_answer(
	struct viewer *v, const char *path, const struct question *q, struct view_reply *reply)
{
	const struct question_row *row = find_row(path);

	if (!row) {
		return 404;
	}
	unsigned int status =
		row->answer ? row->answer(v, q, &reply->out) : row->begin(v, q, reply);
	bool is_good = status == 200;

	reply->type = is_good ? row->type : JSON;
	reply->policy = is_good ? row->policy : NULL;
	reply->file = is_good ? row->file : NULL;
	return status;
}
