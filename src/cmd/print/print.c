/* SPDX-License-Identifier: MIT */
/*
 * The common part of `waymark print` and `waymark attach`: options, the lines of an open trace,
 * and notes on standard error that explain missing or odd lines.
 */
#include "cmd/print/print.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/compiler.h"
#include "cmd/selection.h"

/* Batches of records between two polls for a signal that ends the run. */
#define SIGNAL_BATCHES 1024

/* ---- Options ---- */

static int set_time(struct print *p, const struct command *command, const char *text)
{
	static const char *const names[] = {
		[TIMESTAMP_ABSOLUTE] = "abs",
		[TIMESTAMP_RELATIVE] = "rel",
		[TIMESTAMP_DELTA] = "delta",
		[TIMESTAMP_WALL] = "wall",
	};

	int mode = arguments_word(text, names, ARRAY_SIZE(names));

	if (mode < 0) {
		return arguments_bad(command, "--time is abs, rel, delta or wall, not '%s'", text);
	}
	p->time = (enum timestamp_mode)mode;
	return 0;
}

int print_take(struct print *p, const struct command *command, int key)
{
	switch (key) {
	case 'e':
		return session_declare(&p->session, optarg) ? 0 : ARGUMENTS_BAD;
	case 'o':
		p->output = optarg;
		return 0;
	case PRINT_KEY_TID:
		p->tid = true;
		return 0;
	case PRINT_KEY_TIME:
		return set_time(p, command, optarg);
	case PRINT_KEY_FIELDS:
		return names_take(&p->fields, &p->session, command, optarg);
	case PRINT_KEY_JSON:
		p->style = &lines_json;
		return 0;
	case PRINT_KEY_COLOUR:
		return terminal_when_parse(&p->colour, optarg)
			       ? 0
			       : arguments_bad(command,
					 "--color is auto, always or never, not '%s'", optarg);
	default:
		return key;
	}
}

/* ---- Lines ---- */

/* Prints, keeps or only counts records; false if no more are wanted. */
static bool put_limited(struct print *p, const struct record *records, size_t count)
{
	for (const struct record *rec = records; rec < records + count && p->head > 0; rec++) {
		p->head -= !p->counts_events || rec->kind == RECORD_EVENT;
		p->events += rec->kind == RECORD_EVENT;
		if (p->only_count) {
			continue;
		}
		lines_put_few(&p->view, rec, 1);
		if (p->last.limit > 0) {
			tail_take(&p->last, &p->line);
		}
	}
	return p->head > 0;
}

static void print_records(struct print *p)
{
	bool all = filter_is_empty(&p->session.filter);
	struct session *s = &p->session;
	struct record records[SESSION_FEW];
	unsigned int calls = 0;
	size_t count;

	while (session_wanted(s) && (count = session_next_few(s, records))) {
		if (UNLIKELY(s->follow && ++calls % SIGNAL_BATCHES == 0) &&
			session_is_interrupted(s)) {
			break;
		}
		lines_see(&p->view, records);
		if (!all) {
			count = filter_keep(&s->filter, records, count);
			for (size_t i = 0; i < count && !p->has_selected; i++) {
				p->has_selected = records[i].kind == RECORD_EVENT;
			}
		}
		if (!p->is_limited) {
			lines_put_few(&p->view, records, count);
		} else if (!put_limited(p, records, count)) {
			break;
		}
	}
}

/* ---- Notes ---- */

/* Explains why lines have only numbers. */
static void explain_undeclared(struct print *p)
{
	const struct event_class *first = NULL;
	size_t more = 0;
	char others[48] = "";

	vec_foreach (struct event_class **, it, &p->session.reader->classes.all) {
		if (!(*it)->event && lines_message(&p->view, *it)) {
			more += first != NULL;
			first = first ? first : *it;
		}
	}
	if (more > 0) {
		snprintf(others, sizeof(others), " and %zu other kinds of events", more);
	}
	if (first) {
		session_say(&p->session,
			"no declaration of '%s'%s: shown as recorded, in hex; "
			"give -e trace-events-all",
			message_name(&p->session.declarations.model.arena, first), others);
	}
}

bool print_has_time(struct print *p)
{
	const struct reader *r = p->session.reader;

	for (size_t i = 0; p->time == TIMESTAMP_WALL && i < r->trace_count; i++) {
		if (!r->traces[i].has_realtime) {
			session_say(&p->session, "%s%shas no time of day, which --time=wall needs",
				r->traces[i].path ? r->traces[i].path : "",
				r->traces[i].path ? ": " : "");
			return false;
		}
	}
	return true;
}

void print_all(struct print *p)
{
	struct session *s = &p->session;

	session_begin_output(s);
	out_init(&p->line, OUT_TO_MEMORY);
	print_begin_view(p, &p->view, p->last.limit > 0 ? &p->line : &s->out, s->reader);
	if (p->head > 0 && !print_shared(p)) {
		print_records(p);
	}
	tail_put(&p->last, &s->out);
	if (p->only_count) {
		out_printf(&s->out, "%" PRIu64 "\n", p->events);
	}
	if (s->follow && p->head > 0 && !s->is_ended && session_wanted(s) && !s->damaged) {
		s->damaged = session_goes_on(s);
		session_say(s, "%s",
			s->damaged ? "no more of it can be read, though its process runs: its "
				     "buffer has no file"
				   : "the traced program has ended");
	}
	explain_undeclared(p);
	bool has_some = p->has_selected || p->head == 0 || p->follow;

	if (!p->names_are_known && names_check_events(s) == 0 && !has_some) {
		selection_explain_none(s);
	}
	s->problems += names_check_fields(s, &p->fields);
	if (!p->follow) {
		session_explain_states(s);
	}
	lines_fini(&p->view);
	out_fini(&p->line);
}
