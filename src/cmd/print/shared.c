/* SPDX-License-Identifier: MIT */
/*
 * Prints a long trace with all processors: each thread makes the lines of a section in memory, and
 * writes them when all before are written. A problem, or a gap whose place only the whole trace
 * shows, ends this: one thread prints all again, and leaves out what was written.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "cmd/print/print.h"
#include "read/sections.h"

/* What one thread prints with. */
struct printer {
	struct reader *reader; /* NULL: not opened yet, or it cannot be */
	struct filter filter;
	struct lines view;
	struct out text; /* of the section */
	bool has_selected;
	SECTIONS_APART;
};

struct shared {
	struct print *print;
	bool is_filtered;
	struct printer printers[SECTIONS_THREADS_MAX];
	uint64_t written;
};

static bool open_printer(struct shared *s, struct printer *p)
{
	if (!p->reader) {
		filter_fini(&p->filter);
		p->reader = session_open_beside(&s->print->session, &p->filter);
		if (p->reader) {
			print_begin_view(s->print, &p->view, &p->text, p->reader);
		}
	}
	return p->reader;
}

static void close_printer(struct printer *p)
{
	if (p->reader) {
		lines_fini(&p->view);
		reader_close(p->reader);
	}
	filter_fini(&p->filter);
	out_fini(&p->text);
}

static void put(const struct shared *s, struct printer *p, struct record *records, size_t count)
{
	if (s->is_filtered) {
		count = filter_keep(&p->filter, records, count);
		for (size_t i = 0; i < count && !p->has_selected; i++) {
			p->has_selected = records[i].kind == RECORD_EVENT;
		}
	}
	lines_put_few(&p->view, records, count);
}

static bool read_section(void *shared, unsigned int thread, int64_t from_ns, int64_t until_ns)
{
	struct shared *s = shared;
	struct printer *p = &s->printers[thread];
	enum read_result result = READ_RECORD;
	struct record records[SESSION_FEW];

	if (!open_printer(s, p)) {
		return false;
	}
	reader_section(p->reader, from_ns, until_ns);
	while (result == READ_RECORD) {
		put(s, p, records, reader_few(p->reader, records, SESSION_FEW, &result));
	}
	return result == READ_END;
}

static bool write_section(void *shared, unsigned int thread)
{
	struct shared *s = shared;
	struct out *text = &s->printers[thread].text;
	struct session *session = &s->print->session;

	s->written += text->len;
	text->fd = session->out_fd;
	session->out.error = out_flush(text);
	text->fd = OUT_TO_MEMORY;
	return session_wanted(session);
}

static bool can_be_shared(const struct print *p)
{
	const struct session *s = &p->session;
	bool is_alone = p->time == TIMESTAMP_RELATIVE || p->time == TIMESTAMP_DELTA;

	return !is_alone && !p->is_limited && !s->follow && !s->reads_all && !s->unreadable &&
	       !filter_is_relative(&s->filter);
}

bool print_shared(struct print *p)
{
	struct sections sections = { 0 };
	bool is_done = false;

	if (!can_be_shared(p)) {
		return false;
	}
	sections_plan(&sections, p->session.reader);
	if (sections.threads > 1) {
		struct shared *s = xcalloc(1, sizeof(*s));
		const struct sections_job job = { read_section, write_section, s };

		s->print = p;
		s->is_filtered = !filter_is_empty(&p->session.filter);
		for (unsigned int i = 0; i < sections.threads; i++) {
			filter_init(&s->printers[i].filter);
			out_init(&s->printers[i].text, OUT_TO_MEMORY);
		}
		is_done = sections_run(&sections, &job);
		for (unsigned int i = 0; i < sections.threads; i++) {
			p->has_selected |= s->printers[i].has_selected;
			close_printer(&s->printers[i]);
		}
		p->session.out.skip = is_done ? 0 : s->written;
		free(s);
	}
	sections_fini(&sections);
	return is_done;
}
