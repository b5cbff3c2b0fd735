/* SPDX-License-Identifier: MIT */
/* The run of `waymark print` and `waymark attach`, see cmd/print/print.h. */
#include "cmd/print/print.h"

#include <inttypes.h>

/* After so many records is looked for the signal that ends it. */
#define SIGNAL_RECORDS 1024

/* What there is of a trace of which nothing was selected yet, for who wonders why. */
static void see(struct print *p, const struct record *records, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int64_t ns = (int64_t)records[i].ns;

		p->first_ns = p->records == 0 || ns < p->first_ns ? ns : p->first_ns;
		p->last_ns = p->records == 0 || ns > p->last_ns ? ns : p->last_ns;
		p->records++;
	}
}

/* Keeps what the filter lets pass; returns how many. */
static size_t keep_selected(struct print *p, struct record *records, size_t count)
{
	if (!p->has_selected) {
		see(p, records, count);
	}
	count = filter_keep(&p->session.filter, records, count);
	for (size_t i = 0; i < count && !p->has_selected; i++) {
		p->has_selected = records[i].kind == RECORD_EVENT;
	}
	return count;
}

/* Shows records, or keeps them, or only counts them; false when no more are wanted. */
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
		if (UNLIKELY(s->follow && ++calls % SIGNAL_RECORDS == 0) &&
			session_is_interrupted(s)) {
			break;
		}
		lines_see(&p->view, records);
		if (!all) {
			count = keep_selected(p, records, count);
		}
		if (!p->is_limited) {
			lines_put_few(&p->view, records, count);
		} else if (!put_limited(p, records, count)) {
			break;
		}
	}
}

/* Writes what had to wait for the end. */
static void finish(struct print *p)
{
	tail_put(&p->last, &p->session.out);
	if (p->only_count) {
		out_printf(&p->session.out, "%" PRIu64 "\n", p->events);
	}
}

/* The time of day is known where the trace says how it goes with the time since boot. */
bool print_has_time(struct print *p)
{
	const struct reader *r = p->session.reader;

	for (size_t i = 0; p->time == TIMESTAMP_WALL && i < r->trace_count; i++) {
		if (!r->traces[i].has_realtime) {
			session_say(&p->session,
				"%s%sdoes not tell the time of day: no --time=wall",
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
	lines_init(&p->view, p->last.limit > 0 ? &p->line : &s->out, s->reader, p->style, p->time);
	p->view.colour = terminal_wants_colour(p->colour, s->out_fd);
	if (p->tid) {
		lines_show_tid(&p->view);
	}
	if (p->head > 0) {
		print_records(p);
	}
	finish(p);
	if (s->follow && p->head > 0 && !s->is_ended && session_wanted(s) && !s->damaged) {
		s->damaged = session_goes_on(s);
		session_say(s, "%s",
			s->damaged ? "nothing more of it can be read, though its process runs: "
				     "there was no file for its buffer"
				   : "the traced program has ended");
	}
	print_notes(p);
	lines_fini(&p->view);
	out_fini(&p->line);
}
