/* SPDX-License-Identifier: MIT */
/*
 * Which threads ran when, by a capture of the kernel's trace: that of --kernel, or the first one
 * among the traces. A thread reads the capture once, from the start of the server on.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "cmd/view/answer/answers.h"
#include "timeline/sched.h"
#include "timeline/tile.h"
#include "view/message/json.h"

#define ITEMS_MAX 6000

struct view_sched {
	struct viewer *viewer;
	bool is_wanted; /* by --kernel */
	char *host; /* whose threads it has; NULL: the traces are of one host */
	struct sched sched;
	struct kernel_text text;
	pthread_mutex_t lock; /* of all but `text` */
	pthread_t thread;
	bool has_thread;
	bool is_stopped; /* atomic */
	bool is_done;
	char problem[512]; /* why it is not shown as it should be; "": no problem */
};

/* ---- The capture ---- */

static void on_bad(void *sched, uint64_t number, const char *line)
{
	struct view_sched *s = sched;

	pthread_mutex_lock(&s->lock);
	if (!s->problem[0] && s->is_wanted) { /* the pass reports those of traces */
		snprintf(s->problem, sizeof(s->problem),
			"line %" PRIu64 " is not of the kernel's trace: %.60s", number, line);
	}
	pthread_mutex_unlock(&s->lock);
}

static void end_capture(struct view_sched *s)
{
	struct read_error error;
	bool ok = kernel_text_close(&s->text, &error);

	pthread_mutex_lock(&s->lock);
	sched_end(&s->sched);
	s->is_done = true;
	if (!ok) {
		snprintf(s->problem, sizeof(s->problem), "%s", error.text);
	} else if (s->sched.rows.count == 0 && s->is_wanted) {
		snprintf(s->problem, sizeof(s->problem), "it has no sched_switch events");
	} else if (s->sched.is_cut) {
		snprintf(s->problem, sizeof(s->problem),
			"only the first %zu times of running and waiting are shown", SCHED_MAX);
	}
	pthread_mutex_unlock(&s->lock);
}

static void *read_capture(void *sched)
{
	struct view_sched *s = sched;
	struct kernel_event event;

	while (!__atomic_load_n(&s->is_stopped, __ATOMIC_RELAXED) &&
		kernel_text_next(&s->text, &event)) {
		pthread_mutex_lock(&s->lock);
		sched_add(&s->sched, &event);
		pthread_mutex_unlock(&s->lock);
	}
	end_capture(s);
	return NULL;
}

/* True of a file that another reader may read; pipes of tracefs have no size. */
static bool is_readable_twice(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
}

/*
 * Returns the host of a capture, which the caller frees. Captures do not name it: it is the first
 * one whose traces have a clock of their own, as guests may have that of their host.
 */
static char *find_host(const struct reader *r)
{
	for (size_t i = 0; i < r->trace_count && r->has_hosts; i++) {
		if (*r->traces[i].hostname && !r->traces[i].clock_host) {
			return xstrdup(r->traces[i].hostname);
		}
	}
	return NULL;
}

/* Returns the path of the first capture among the traces, or NULL. */
static const char *find_capture(const struct session *session)
{
	const struct reader *r = session->reader;

	for (size_t i = 0; i < r->trace_count; i++) {
		const struct trace_info *trace = &r->traces[i];
		const struct reader *own = trace->reader ? trace->reader : r;
		const char *path = trace->path ? trace->path : session->traces[0];

		if (own->format == &reader_kernel && is_readable_twice(path)) {
			return path;
		}
	}
	return NULL;
}

static void free_sched(struct view_sched *s)
{
	sched_fini(&s->sched);
	pthread_mutex_destroy(&s->lock);
	free(s->host);
	free(s);
}

/* Reports a capture that cannot be opened; true if that is none of the user's wishes. */
static bool not_opened(struct view_sched *s, const char *path, const struct read_error *error)
{
	struct read_error ignored;

	kernel_text_close(&s->text, &ignored);
	if (s->is_wanted) {
		session_say(s->viewer->session, "--kernel: %s: %s", path, error->text);
		free_sched(s);
		return false;
	}
	snprintf(s->problem, sizeof(s->problem), "%.200s: %.300s", path, error->text);
	s->is_done = true;
	s->viewer->sched = s;
	return true;
}

bool view_sched_begin(struct viewer *v, const char *path, int64_t offset_ns)
{
	struct read_error error;
	bool is_wanted = path != NULL;

	viewer_lock(v);
	path = is_wanted ? path : find_capture(v->session);
	char *host = path ? find_host(v->session->reader) : NULL;

	viewer_unlock(v);
	if (!path) {
		return true;
	}
	struct view_sched *s = xcalloc(1, sizeof(*s));

	s->viewer = v;
	s->host = host;
	s->is_wanted = is_wanted;
	s->text = (struct kernel_text){
		.offset_ns = is_wanted ? offset_ns : 0, .on_bad = on_bad, .data = s
	};
	pthread_mutex_init(&s->lock, NULL);
	sched_init(&s->sched);
	if (!kernel_text_open(&s->text, path, &error)) {
		return not_opened(s, path, &error);
	}
	v->sched = s;
	s->has_thread = pthread_create(&s->thread, NULL, read_capture, s) == 0;
	return true;
}

static void wait_capture(struct view_sched *s)
{
	if (s->has_thread) {
		pthread_join(s->thread, NULL);
		s->has_thread = false;
	}
}

void view_sched_end(struct viewer *v)
{
	struct view_sched *s = v->sched;

	if (s) {
		__atomic_store_n(&s->is_stopped, true, __ATOMIC_RELAXED);
		wait_capture(s);
		free_sched(s);
	}
}

/* ---- The answer ---- */

static bool is_of_host(const struct view_sched *s, uint32_t trace)
{
	return !s->host || strcmp(s->viewer->session->reader->traces[trace].hostname, s->host) == 0;
}

/* True if a row is of a processor, or of a thread of the host that the timeline has. */
static bool is_shown(const struct view_sched *s, const struct sched_row *row)
{
	const struct levels *l = &s->viewer->levels;

	if (row->is_cpu) {
		return true;
	}
	vec_foreach (const struct level_track *, t, &l->tracks) {
		if (!t->is_lane && t->tid == row->id &&
			is_of_host(s, l->timeline.processes.items[t->process].trace)) {
			return true;
		}
	}
	return false;
}

/* Returns the numbers of the rows that are shown, which the caller frees. */
static uint32_t *find_rows(struct view_sched *s, size_t *count)
{
	uint32_t *rows = xcalloc(s->sched.rows.count + 1, sizeof(*rows));

	*count = 0;
	viewer_lock(s->viewer);
	for (size_t i = 0; i < s->sched.rows.count; i++) {
		if (is_shown(s, &s->sched.rows.items[i])) {
			rows[(*count)++] = (uint32_t)i;
		}
	}
	viewer_unlock(s->viewer);
	return rows;
}

/* Cuts off the time before the first record, which the page cannot show. */
static void cut_spans(struct near *near, int64_t first_ns)
{
	vec_foreach (struct near_item *, span, &near->items) {
		if (span->begin_ns < first_ns) {
			span->begin_ns = first_ns;
			span->is_continued = true;
		}
	}
}

/* Writes the spans, `whole` single ones at most if it is not 0; false if there are more. */
static bool put_tile(struct view_sched *s, struct tile_wish *wish, size_t whole, struct out *out)
{
	struct near near = { .from_ns = wish->from_ns, .to_ns = wish->to_ns };
	struct tile t;

	for (size_t i = 0; i < wish->track_count; i++) {
		sched_near(&s->sched, wish->tracks[i], &near);
	}
	cut_spans(&near, viewer_first_ns(s->viewer));
	tile_from_near(&t, &near, wish);
	while (!whole && t.items > ITEMS_MAX && wish->columns > 1) {
		tile_fini(&t);
		wish->columns /= 2;
		tile_from_near(&t, &near, wish);
	}
	bool ok = !whole || t.items <= whole;

	answer_put_tile(s->viewer, &t, NULL, out);
	tile_fini(&t);
	near_fini(&near);
	return ok;
}

static bool put_sched(struct view_sched *s, struct tile_wish *wish, size_t whole, struct out *out)
{
	pthread_mutex_lock(&s->lock);
	uint32_t *rows = find_rows(s, &wish->track_count);

	wish->tracks = rows;
	out_printf(out, "{\"done\":%s,\"problem\":", s->is_done ? "true" : "false");
	json_out_string(out, s->problem);
	out_str(out, ",\"host\":");
	json_out_string(out, s->host ? s->host : "");
	out_str(out, ",\"rows\":{");
	for (size_t i = 0; i < wish->track_count; i++) {
		const struct sched_row *row = &s->sched.rows.items[rows[i]];

		out_printf(out, "%s\"%u\":[%s,%u]", i ? "," : "", rows[i],
			row->is_cpu ? "true" : "false", row->id);
	}
	out_str(out, "},\"tile\":");
	bool ok = put_tile(s, wish, whole, out);

	out_char(out, '}');
	pthread_mutex_unlock(&s->lock);
	free(rows);
	return ok;
}

unsigned int answer_sched(struct viewer *v, const struct question *q, struct out *out)
{
	struct tile_wish wish = { 0 };
	struct time_range range;

	if (!question_range(v, q, &range)) {
		return answer_refuse(out, "from, to", "two times in ns, the earlier one first");
	}
	if (!question_columns(q, &wish.columns)) {
		return answer_refuse(out, "columns", COLUMNS_WANTED);
	}
	if (!v->sched) {
		out_str(out, "null");
		return 200;
	}
	wish.from_ns = range.from;
	wish.to_ns = range.to;
	if (q->waits) {
		wait_capture(v->sched);
	}
	if (!put_sched(v->sched, &wish, q->whole, out)) {
		return answer_refuse(out, "to", TIME_WANTED);
	}
	return 200;
}

void view_sched_names(struct viewer *v, view_name_fn *put, void *data)
{
	char name[32];

	if (!v->sched) {
		return;
	}
	wait_capture(v->sched);
	put(data, "kernel");
	vec_foreach (const struct sched_row *, row, &v->sched->sched.rows) {
		if (row->is_cpu) {
			snprintf(name, sizeof(name), "CPU %u", row->id);
			put(data, name);
		}
	}
}
