/* SPDX-License-Identifier: MIT */
/* Actions of triggers as text: see action.h. */
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/unit.h"
#include "rt/event/action.h"
#include "rt/event/part.h"
#include "rt/host/error.h"

/* The longest time after which, or for which, something is done: a day. */
#define TIME_MAX_NS UINT64_C(86400000000000)

/* Reads a number and a unit of time, without a blank between them. */
static bool read_time(struct part s, uint64_t *ns)
{
	uint64_t number;

	if (!part_take_number(&s, TIME_MAX_NS, &number)) {
		return false;
	}
	const struct unit *unit = unit_find(s.text, s.length);

	*ns = unit && unit->is_time && number <= TIME_MAX_NS / unit->scale ? number * unit->scale
									   : 0;
	return *ns > 0;
}

/* Takes `before TIME` off the end, if it is there. Returns false if its time is wrong. */
static bool take_time(struct part *rest, const char *before, uint64_t *ns)
{
	const char *begin = rest->text;
	const char *time = begin + rest->length;

	while (time > begin && time[-1] != ' ') {
		time--;
	}
	struct part value = part_of(time, begin + rest->length);
	struct part head = part_of(begin, time);
	const char *word = head.text + head.length;

	while (word > begin && word[-1] != ' ') {
		word--;
	}
	struct part name = part_of(word, head.text + head.length);

	if (!part_is(&name, before)) {
		return true;
	}
	*rest = part_of(begin, word);
	return read_time(value, ns);
}

/* ---- The verbs ---- */

/* Reads what follows a verb. Returns false if it is wrong. */
typedef bool read_rest(struct action *a, struct part rest);

static bool keep(struct action *a, const struct part *rest)
{
	a->text = strndup(rest->text, rest->length);
	return a->text;
}

static bool read_snapshot(struct action *a, struct part rest)
{
	return take_time(&rest, "after", &a->ns) && (!rest.length || keep(a, &rest));
}

static bool read_enable(struct action *a, struct part rest)
{
	return take_time(&rest, "for", &a->ns) && rest.length && keep(a, &rest);
}

static bool read_signal(struct action *a, struct part rest)
{
	uint64_t number;

	if (!part_take_number(&rest, (uint64_t)SIGRTMAX, &number) || rest.length) {
		return false;
	}
	a->signal = (int)number;
	return number > 0;
}

static bool read_text(struct action *a, struct part rest)
{
	return rest.length && keep(a, &rest);
}

static bool read_nothing(struct action *a, struct part rest)
{
	(void)a;
	return !rest.length;
}

static const struct {
	const char *name;
	read_rest *read;
	const char *form; /* for messages */
} verbs[] = {
	[ACTION_SNAPSHOT] = { "snapshot", read_snapshot, "snapshot [DIRECTORY] [after TIME]" },
	[ACTION_STOP] = { "stop", read_nothing, "stop" },
	[ACTION_ENABLE] = { "enable", read_enable, "enable PATTERN [for TIME]" },
	[ACTION_DISABLE] = { "disable", read_text, "disable PATTERN" },
	[ACTION_FLUSH] = { "flush", read_nothing, "flush" },
	[ACTION_SIGNAL] = { "signal", read_signal, "signal NUMBER" },
	[ACTION_MARK] = { "mark", read_text, "mark TEXT" },
};

static int read_action(struct action *a, struct part text, struct waymark_error *error)
{
	struct part rest = text;
	struct part verb = part_take_word(&rest);

	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (!part_is(&verb, verbs[i].name)) {
			continue;
		}
		a->kind = (enum action_kind)i;
		return verbs[i].read(a, rest)
			       ? 0
			       : waymark_fail(error, "action '%.*s' is wrong; write %s",
					 (int)text.length, text.text, verbs[i].form);
	}
	return waymark_fail(error,
		"'%.*s' is no action; actions are snapshot, stop, enable, disable, flush, signal and mark",
		(int)text.length, text.text);
}

int waymark_actions_parse(struct actions *a, const char *text, struct waymark_error *error)
{
	*a = (struct actions){ 0 };
	for (;;) {
		const char *and = strstr(text, " and ");
		const char *end = and? and : text + strlen(text);

		if (a->count == ACTIONS_MAX) {
			waymark_actions_fini(a);
			return waymark_fail(error, "more than %u actions", ACTIONS_MAX);
		}
		if (read_action(&a->items[a->count++], part_of(text, end), error) < 0) {
			waymark_actions_fini(a);
			return -1;
		}
		if (!and) {
			return 0;
		}
		text = and+strlen(" and ");
	}
}

void waymark_actions_fini(struct actions *a)
{
	for (unsigned int i = 0; i < a->count; i++) {
		free(a->items[i].text);
	}
	*a = (struct actions){ 0 };
}
