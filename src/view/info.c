/* SPDX-License-Identifier: MIT */
/* What a trace holds, as text: see view/info.h. */
#include "view/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/hash.h"
#include "view/gap.h"
#include "view/message/message.h"

#define NS_PER_S UINT64_C(1000000000)

/* Of so many threads each is told; what is beyond is in the JSON. */
#define THREADS_SHOWN 32

bool info_is_big_endian(const struct reader *r)
{
	return r->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

const struct reader *info_reader(const struct info *info, size_t trace)
{
	const struct reader *own = info->reader->traces[trace].reader;

	return own ? own : info->reader;
}

const char *info_path(const struct info *info, size_t trace)
{
	const char *path = info->reader->traces[trace].path;

	return path ? path : info->path;
}

/* Right-aligned in `width` columns. */
static void put_seconds(struct out *out, int64_t ns, int width)
{
	uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	char text[48];

	snprintf(text, sizeof(text), "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", n / NS_PER_S,
		n % NS_PER_S);
	out_printf(out, "%*s", width, text);
}

/* Text on one line of a terminal. */
static void put_escaped(struct out *out, const char *text)
{
	size_t length = strlen(text);
	char *begin = out_reserve(out, ESCAPE_MAX * length + 8);

	out_advance(out, (size_t)(message_escape(begin, text, length) - begin));
}

static void put_span(struct out *out, const struct summary *s)
{
	if (s->events + s->gaps == 0) {
		out_str(out, "span      none\n");
		return;
	}
	out_str(out, "span      ");
	put_seconds(out, (int64_t)((uint64_t)s->last_ns - (uint64_t)s->first_ns), 0);
	out_str(out, " s, from ");
	put_seconds(out, s->first_ns, 0);
	out_str(out, " to ");
	put_seconds(out, s->last_ns, 0);
	out_str(out, " s since boot\n");
}

static void put_pids(struct out *out, const struct info *info)
{
	const struct summary *s = info->summary;

	out_str(out, "pids      ");
	if (!info->reader->has_pid) {
		out_str(out, "not recorded\n");
		return;
	}
	if (s->pids.count == 0) {
		out_str(out, "none");
	}
	for (size_t i = 0; i < s->pids.count; i++) {
		const struct pid_count *p = &s->pids.items[i];

		out_str(out, i ? ", " : "");
		if (!reader_knows_pid(info->reader, 0, p->pid)) {
			out_printf(out, "not known (%" PRIu64 ")", p->events);
		} else {
			out_printf(out, "%" PRIu32 " (%" PRIu64 ")", p->pid, p->events);
		}
	}
	out_str(out, s->more_pids ? ", and more\n" : "\n");
}

/* Traces that do not tell threads have only records of thread 0. */
bool info_tells_threads(const struct info *info)
{
	vec_foreach (const struct thread_count *, t, &info->summary->threads) {
		if (t->tid != 0) {
			return true;
		}
	}
	return false;
}

static void put_thread(struct out *out, const struct reader *r, const struct thread_count *t)
{
	char pid[16] = "-";
	char tid[16] = "-";
	char name[32];

	if (!r->has_pid || reader_knows_pid(r, t->trace, t->pid)) {
		snprintf(pid, sizeof(pid), "%" PRIu32, t->pid);
	}
	if (t->tid) {
		snprintf(tid, sizeof(tid), "%" PRIu32, t->tid);
	}
	snprintf(name, sizeof(name), "%s/%s", pid, tid);
	out_printf(out, "%12" PRIu64 " %21s ", t->events, name);
	put_seconds(out, t->first_ns, 20);
	put_seconds(out, t->last_ns, 21);
	if (losses_events(&t->losses) + losses_packets(&t->losses) > 0) {
		out_str(out, "  ");
		gap_put_text(out, &t->losses);
	}
	out_char(out, '\n');
}

/* A table of the threads, where the trace tells them. */
static void put_threads(struct out *out, const struct info *info)
{
	const struct summary *s = info->summary;
	size_t told = s->threads.count < THREADS_SHOWN ? s->threads.count : THREADS_SHOWN;

	if (!info_tells_threads(info)) {
		return;
	}
	out_printf(out, "threads   %zu%s\n", s->threads.count, s->more_threads ? " and more" : "");
	out_printf(out, "%12s %21s %20s %20s\n", "events", "pid/tid", "from", "to");
	for (size_t i = 0; i < told; i++) {
		put_thread(out, info->reader, &s->threads.items[i]);
	}
	if (told < s->threads.count) {
		out_printf(out, "%12s %zu more: --json tells all\n", "", s->threads.count - told);
	}
}

/* What to do about a trace whose process has not ended well. */
static const struct advice {
	const char *state;
	const char *text; /* behind why it is so */
} advices[] = {
	{ "running", "" },
	{ "ended", "" },
	{ "recovered", "" },
	{ "unfinished", ": " READ_UNFINISHED },
	{ "unreadable", ": its process's memory cannot be read: the last events are missing" },
	{ "killed", ": a part is still in memory; waymark recover puts it into the files" },
	{ "unwritten",
		": its process ended, and a part is still in memory; waymark recover puts it into the "
		"files" },
};

static void put_state(struct out *out, const struct trace_info *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(advices) && t->state; i++) {
		if (strcmp(advices[i].state, t->state) == 0) {
			out_printf(out, "state     %s%s%s%s\n", t->state, t->why ? ": " : "",
				t->why ? t->why : "", advices[i].text);
		}
	}
}

/* What a trace says of its process, host and clock; nothing where it does not. */
static void put_trace(struct out *out, const struct trace_info *t)
{
	if (t->streams == 0 && t->freq == 0) {
		return;
	}
	out_printf(
		out, "process   %" PRIu32 "%s", t->pid, *t->procname ? " " : ", of no known name");
	put_escaped(out, t->procname);
	out_str(out, *t->hostname ? "\nhost      " : "\nhost      not recorded");
	put_escaped(out, t->hostname);
	out_printf(out, "\nclock     %" PRIu64 " Hz\n", t->freq);
	out_printf(out, "streams   %zu", t->streams);
	if (t->streams_gone > 0) {
		out_printf(out, ", and %zu of which nothing is left", t->streams_gone);
	}
	out_char(out, '\n');
	put_state(out, t);
	if (t->is_cut) {
		out_str(out, "cut       the metadata ends inside a declaration\n");
	}
}

static void put_format(struct out *out, const struct reader *r)
{
	const struct reader_format *f = r->format;

	if (f->is_text) {
		out_printf(out, "format    %s, text\n", f->name);
		return;
	}
	if (f->release) {
		out_printf(out, "format    %s %s", f->name, f->release);
	} else {
		out_printf(out, "format    %s version %u", f->name, r->version);
	}
	out_printf(out, ", %s-endian\n", info_is_big_endian(r) ? "big" : "little");
}

/* Whose each trace is. */
static void put_traces(struct out *out, const struct info *info)
{
	const struct reader *r = info->reader;
	const struct summary *s = info->summary;

	for (size_t i = 0; i < r->trace_count; i++) {
		out_str(out, "trace     ");
		put_escaped(out, info_path(info, i));
		if (r->trace_count > 1) {
			out_printf(out, ": %" PRIu64 " events",
				i < s->by_trace.count ? s->by_trace.items[i] : 0);
		}
		out_char(out, '\n');
		put_format(out, info_reader(info, i));
		put_trace(out, &r->traces[i]);
	}
}

static void put_gaps(struct out *out, const struct summary *s)
{
	if (s->gaps == 0) {
		out_str(out, "gaps      none\n");
		return;
	}
	out_printf(out, "gaps      %" PRIu64 ": ", s->gaps);
	gap_put_text(out, &s->losses);
	out_char(out, '\n');
}

/* Several classes may have one name. */
static size_t count_names(const struct reader *r)
{
	struct hash names;
	size_t count = 0;

	hash_init(&names);
	vec_foreach (struct event_class **, it, &r->classes.all) {
		count += !hash_get(&names, (*it)->name);
		hash_add(&names, (*it)->name, *it);
	}
	hash_fini(&names);
	return count;
}

void info_put_text(struct out *out, const struct info *info)
{
	const struct reader *r = info->reader;
	const struct summary *s = info->summary;

	put_traces(out, info);
	out_printf(out, "events    %" PRIu64 " of %zu kinds (%zu names known)\n", s->events,
		s->counts.count, count_names(r));
	put_gaps(out, s);
	if (info->problems || info->damaged) {
		out_printf(out, "unread    %" PRIu64 " place%s%s\n", info->problems,
			info->problems == 1 ? "" : "s",
			info->damaged ? ", and all behind the damage" : "");
	}
	put_span(out, s);
	put_pids(out, info);
	put_threads(out, info);
	out_str(out, s->counts.count ? "kinds\n" : "");
	for (size_t i = 0; i < s->counts.count; i++) {
		out_printf(out, "%12" PRIu64 " ", s->counts.items[i].events);
		put_escaped(out, s->counts.items[i].class->name);
		out_char(out, '\n');
	}
}
