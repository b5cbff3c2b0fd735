/* SPDX-License-Identifier: MIT */
/*
 * The pass over a long trace by all processors: its time is divided into sections, each thread
 * makes what one adds to the levels, and they are joined in order. A section that cannot be joined
 * is read once more, into the levels. A problem ends this: one thread reads all again, and leaves
 * out what was joined.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "cmd/view/viewer/viewer.h"
#include "read/sections.h"
#include "timeline/section.h"

/* Sections in a row that could not be joined, after which only every ODD_TRIED-th is tried. */
#define ODD_MAX 8
#define ODD_TRIED 64

/* Some 70 years. */
#define TIME_MAX (INT64_C(1) << 61)

struct worker {
	struct reader *reader; /* NULL: not opened yet, or it cannot be */
	struct filter filter;
	struct level_section section;
	int64_t from_ns;
	int64_t until_ns;
	SECTIONS_APART;
};

struct pass {
	struct viewer *v;
	struct sections sections;
	struct worker workers[SECTIONS_THREADS_MAX];
	unsigned int odd; /* atomic: sections in a row that could not be joined */
};

static bool open_worker(struct pass *p, struct worker *w)
{
	if (!w->reader) {
		filter_fini(&w->filter);
		w->reader = session_open_beside(p->v->session, &w->filter);
		if (w->reader) {
			level_section_init(&w->section, w->reader);
		}
	}
	return w->reader;
}

static void close_worker(struct worker *w)
{
	if (w->reader) {
		level_section_fini(&w->section);
		reader_close(w->reader);
	}
	filter_fini(&w->filter);
}

/* True if the section is worth the attempt. */
static bool is_promising(struct pass *p)
{
	unsigned int odd = __atomic_load_n(&p->odd, __ATOMIC_RELAXED);

	return odd < ODD_MAX || odd % ODD_TRIED == 0;
}

static bool read_section(void *pass, unsigned int thread, int64_t from_ns, int64_t until_ns)
{
	struct pass *p = pass;
	struct worker *w = &p->workers[thread];
	enum read_result result = READ_RECORD;
	struct record records[SESSION_FEW];

	if (!open_worker(p, w)) {
		return false;
	}
	w->from_ns = from_ns;
	w->until_ns = until_ns;
	viewer_lock(p->v);
	level_section_begin(&w->section, &p->v->levels, from_ns, until_ns);
	viewer_unlock(p->v);
	if (!is_promising(p)) {
		w->section.steps.is_odd = true;
		return !viewer_is_stopped(p->v);
	}
	reader_section(w->reader, from_ns, until_ns);
	while (result == READ_RECORD && !level_section_is_odd(&w->section) &&
		!viewer_is_stopped(p->v)) {
		size_t count = reader_few(w->reader, records, SESSION_FEW, &result);

		count = p->v->is_filtered ? filter_keep(&w->filter, records, count) : count;
		level_section_add(&w->section, records, count);
	}
	return result == READ_END ||
	       (level_section_is_odd(&w->section) && !viewer_is_stopped(p->v));
}

/* Returns how many of the first records are in the levels already. */
static size_t pass_known(struct viewer *v, const struct record *records, size_t count)
{
	size_t known = 0;

	while (known < count && (int64_t)records[known].ns < v->from_ns) {
		known++;
	}
	for (; known < count && v->known > 0; v->known--) {
		known++;
	}
	return known;
}

void pass_add(struct viewer *v, struct record *records, size_t count)
{
	size_t kept = v->is_filtered ? filter_keep(&v->session->filter, records, count) : count;
	size_t known = pass_known(v, records, kept);

	levels_add(&v->levels, records + known, kept - known);
	v->added += kept - known;
}

/* Reads a section into the levels; false if the trace must be read as a whole. */
static bool read_again(struct viewer *v, int64_t from_ns, int64_t until_ns)
{
	struct reader *r = v->session->reader;
	enum read_result result = READ_RECORD;
	struct record records[SESSION_FEW];

	reader_section(r, from_ns, until_ns);
	v->has_sections = true;
	v->from_ns = from_ns;
	v->added = 0;
	while (result == READ_RECORD && !viewer_is_stopped(v)) {
		size_t count = reader_few(r, records, SESSION_FEW, &result);

		viewer_lock(v);
		pass_add(v, records, count);
		viewer_unlock(v);
	}
	return result == READ_END;
}

/* All before a time was added. */
static void move_on(struct viewer *v, int64_t until_ns)
{
	viewer_lock(v);
	if (until_ns != INT64_MAX) {
		v->levels.read_ns = until_ns;
		levels_check(&v->levels,
			&(struct level_point){ .ns = until_ns, .records = v->levels.records });
	}
	v->from_ns = until_ns;
	v->added = 0;
	viewer_unlock(v);
}

static bool join_section(void *pass, unsigned int thread)
{
	struct pass *p = pass;
	struct worker *w = &p->workers[thread];

	viewer_lock(p->v);
	bool is_joined = level_section_join(&w->section, &p->v->levels);

	viewer_unlock(p->v);
	__atomic_store_n(&p->odd, is_joined ? 0 : p->odd + 1, __ATOMIC_RELAXED);
	if (!is_joined && !read_again(p->v, w->from_ns, w->until_ns)) {
		return false;
	}
	move_on(p->v, w->until_ns);
	return true;
}

/* Returns the time of the first record; false if there is none. */
static bool find_first(const struct viewer *v, int64_t *ns)
{
	struct filter filter;
	struct record rec;
	struct reader *r = session_open_beside(v->session, &filter);
	bool is_found = r && reader_next(r, &rec) == READ_RECORD;

	*ns = is_found ? (int64_t)rec.ns : 0;
	filter_fini(&filter);
	reader_close(r);
	return is_found;
}

/* True if sums and differences of the packets' times fit; those of a damaged index may not. */
static bool has_plain_times(const struct reader_loads *loads, int64_t first_ns)
{
	bool is_plain = first_ns > -TIME_MAX && first_ns < TIME_MAX;

	vec_foreach (const struct reader_load *, load, &loads->all) {
		is_plain &= load->ns > -TIME_MAX && load->ns < TIME_MAX &&
			    load->span_ns < (uint64_t)TIME_MAX;
	}
	return is_plain;
}

/* Begins with what the indexes have: the steps, and what is drawn until they are filled. */
static void begin(struct viewer *v, const struct reader_loads *loads, int64_t first_ns)
{
	int64_t last_ns = first_ns;

	vec_foreach (const struct reader_load *, load, &loads->all) {
		int64_t end = load->ns + (int64_t)load->span_ns;

		last_ns = end > last_ns ? end : last_ns;
	}
	viewer_lock(v);
	levels_expect(&v->levels, first_ns, last_ns);
	if (!v->is_filtered) {
		estimate_make(&v->estimate, &v->levels, loads);
	}
	viewer_unlock(v);
}

static void run(struct pass *p)
{
	const struct sections_job job = { read_section, join_section, p };

	for (unsigned int i = 0; i < p->sections.threads; i++) {
		filter_init(&p->workers[i].filter);
	}
	sections_run(&p->sections, &job);
	for (unsigned int i = 0; i < p->sections.threads; i++) {
		close_worker(&p->workers[i]);
	}
}

bool pass_shared(struct viewer *v)
{
	const struct session *s = v->session;
	struct reader_loads loads = { 0 };
	struct pass *p = xcalloc(1, sizeof(*p));
	int64_t first_ns;
	bool can_be = !v->meets_events && !s->unreadable && !filter_is_relative(&s->filter) &&
		      reader_loads(s->reader, &loads) && loads.all.count > 0 &&
		      find_first(v, &first_ns) && has_plain_times(&loads, first_ns);

	p->v = v;
	if (can_be) {
		sections_divide(&p->sections, &loads);
		begin(v, &loads, first_ns);
	}
	vec_fini(&loads.all);
	v->from_ns = INT64_MIN;
	if (can_be) {
		run(p);
	}
	sections_fini(&p->sections);
	free(p);
	return v->from_ns == INT64_MAX || viewer_is_stopped(v);
}
