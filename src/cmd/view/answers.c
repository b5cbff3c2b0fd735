/* SPDX-License-Identifier: MIT */
/* The table of the page's questions, and their arguments. */
#include "cmd/view/answers.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "view/message/json.h"

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

bool question_range(struct viewer *v, const struct question *q, struct time_range *range)
{
	uint64_t from;
	uint64_t to;

	if (!question_number(q, "from", &from) || !question_number(q, "to", &to) || from >= to) {
		return false;
	}
	range->from = viewer_first_ns(v) + (int64_t)from;
	range->to = viewer_first_ns(v) + (int64_t)to;
	return true;
}

/* ---- All ---- */

static const struct {
	const char *path;
	unsigned int (*answer)(struct viewer *v, const struct question *q, struct out *out);
} answers[] = {
	{ "/api/trace", answer_trace },
	{ "/api/tile", answer_tile },
	{ "/api/event", answer_event },
	{ "/api/find", answer_find },
	{ "/api/events", answer_events },
	{ VIEW_SWITCH, answer_switch },
};

unsigned int view_answer(
	struct viewer *v, const char *path, const struct question *q, struct out *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
		if (strcmp(answers[i].path, path) == 0) {
			return answers[i].answer(v, q, out);
		}
	}
	return 404;
}
