/* SPDX-License-Identifier: MIT */
/*
 * The output of `waymark info`, as text and as JSON. Both use the numbers of the sorted summary,
 * and the reader for the process of each trace.
 */
#include "view/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/hash.h"
#include "view/gap.h"
#include "view/message/json.h"
#include "view/message/message.h"

#define NS_PER_S UINT64_C(1000000000)

/* Maximum number of threads in the text; the JSON has all. */
#define THREADS_SHOWN 32

static bool is_big_endian(const struct reader *r)
{
	return r->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static const struct reader *reader_of(const struct info *info, size_t trace)
{
	const struct reader *own = info->reader->traces[trace].reader;

	return own ? own : info->reader;
}

static const char *path_of(const struct info *info, size_t trace)
{
	const char *path = info->reader->traces[trace].path;

	return path ? path : info->path;
}

/* Puts a time right-aligned in `width` columns. */
static void put_seconds(struct out *out, int64_t ns, int width)
{
	uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	char text[48];

	snprintf(text, sizeof(text), "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", n / NS_PER_S,
		n % NS_PER_S);
	out_printf(out, "%*s", width, text);
}

/* Writes a text so that it stays on one line of a terminal. */
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

/* True if a trace records threads; otherwise all records have thread 0. */
static bool tells_threads(const struct info *info)
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

/* Writes a table of the threads if the trace records them. */
static void put_threads(struct out *out, const struct info *info)
{
	const struct summary *s = info->summary;
	size_t told = s->threads.count < THREADS_SHOWN ? s->threads.count : THREADS_SHOWN;

	if (!tells_threads(info)) {
		return;
	}
	out_printf(out, "threads   %zu%s\n", s->threads.count, s->more_threads ? " and more" : "");
	out_printf(out, "%12s %21s %20s %20s\n", "events", "pid/tid", "from", "to");
	for (size_t i = 0; i < told; i++) {
		put_thread(out, info->reader, &s->threads.items[i]);
	}
	if (told < s->threads.count) {
		out_printf(out, "%12s %zu more: --json lists all\n", "", s->threads.count - told);
	}
}

/* The advice for each state of a trace; empty for states that need none. */
static const struct advice {
	const char *state;
	const char *text;
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

/* Puts process, host and clock of a trace; nothing for a format that does not record them. */
static void put_trace(struct out *out, const struct trace_info *t)
{
	if (t->streams == 0 && t->freq == 0) {
		return;
	}
	out_printf(out, "process   %" PRIu32 "%s", t->pid, *t->procname ? " " : ", name unknown");
	put_escaped(out, t->procname);
	out_str(out, *t->hostname ? "\nhost      " : "\nhost      not recorded");
	put_escaped(out, t->hostname);
	out_printf(out, "\nclock     %" PRIu64 " Hz", t->freq);
	if (t->clock_host) {
		out_str(out, ", set by the clock of ");
		put_escaped(out, t->clock_host);
		out_printf(out, ", to within %" PRIu64 " ns", t->clock_error);
	}
	out_char(out, '\n');
	out_printf(out, "streams   %zu", t->streams);
	if (t->streams_gone > 0) {
		out_printf(out, ", and %zu of which all packets are gone", t->streams_gone);
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
	out_printf(out, ", %s-endian\n", is_big_endian(r) ? "big" : "little");
}

/* Puts path, format and process of each trace. */
static void put_traces(struct out *out, const struct info *info)
{
	const struct reader *r = info->reader;
	const struct summary *s = info->summary;

	for (size_t i = 0; i < r->trace_count; i++) {
		out_str(out, "trace     ");
		put_escaped(out, path_of(info, i));
		if (r->trace_count > 1) {
			out_printf(out, ": %" PRIu64 " events",
				i < s->by_trace.count ? s->by_trace.items[i] : 0);
		}
		out_char(out, '\n');
		put_format(out, reader_of(info, i));
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

/* Puts the triggers that fired, with the first call that did; nothing if there are none. */
static void put_triggers(struct out *out, const struct reports *r)
{
	vec_foreach (struct fired_trigger *const *, it, &r->triggers) {
		const struct fired_trigger *t = *it;

		out_str(out, "trigger   ");
		put_escaped(out, t->text);
		out_str(out, "\nfired     by ");
		put_escaped(out, t->event);
		out_printf(out, ", process %" PRIu32 " thread %" PRIu32 ", at ", t->pid, t->tid);
		put_seconds(out, t->first_ns, 0);
		if (t->times > 1) {
			out_printf(out, ", %" PRIu64 " times up to ", t->times);
			put_seconds(out, t->last_ns, 0);
		}
		out_char(out, '\n');
	}
}

/* Puts how many calls limits left out, and of which events; nothing if there are none. */
static void put_left_out(struct out *out, const struct reports *r)
{
	if (r->left_out.count == 0) {
		return;
	}
	out_printf(out, "left out  %" PRIu64 " calls, by limits\n", reports_left_out(r));
	vec_foreach (struct left_out *const *, l, &r->left_out) {
		out_printf(out, "%12" PRIu64 " ", (*l)->calls);
		put_escaped(out, (*l)->event);
		out_str(out, " by ");
		put_escaped(out, (*l)->limits);
		out_char(out, '\n');
	}
}

/* Counts names: several classes may have the same one. */
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

	put_triggers(out, info->reports);
	put_traces(out, info);
	out_printf(out, "events    %" PRIu64 " of %zu kinds (%zu names known)\n", s->events,
		s->counts.count, count_names(r));
	put_gaps(out, s);
	put_left_out(out, info->reports);
	if (info->problems || info->damaged) {
		out_printf(out, "unread    %" PRIu64 " place%s%s\n", info->problems,
			info->problems == 1 ? "" : "s",
			info->damaged ? ", and all after the damage" : "");
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

/* ---- JSON ---- */

static void put_json_number(struct out *out, const char *key, bool is_known, uint64_t n)
{
	if (is_known) {
		out_printf(out, "\"%s\":%" PRIu64 ",", key, n);
	} else {
		out_printf(out, "\"%s\":null,", key);
	}
}

static void put_json_pids(struct out *out, const struct info *info)
{
	const struct summary *s = info->summary;

	for (size_t i = 0; i < s->pids.count; i++) {
		const struct pid_count *p = &s->pids.items[i];
		bool is_known = !info->reader->has_pid || reader_knows_pid(info->reader, 0, p->pid);

		out_str(out, i ? ",{" : "{");
		put_json_number(out, "pid", is_known, p->pid);
		out_printf(out, "\"events\":%" PRIu64 "}", p->events);
	}
}

/* Puts the times as null if there is no record. */
static void put_json_span(struct out *out, bool is_known, int64_t first_ns, int64_t last_ns)
{
	if (is_known) {
		out_printf(out, "\"first_ns\":%" PRId64 ",\"last_ns\":%" PRId64, first_ns, last_ns);
	} else {
		out_str(out, "\"first_ns\":null,\"last_ns\":null");
	}
}

/* Puts an empty list if no trace records threads. */
static void put_json_threads(struct out *out, const struct info *info)
{
	const struct summary *s = info->summary;
	size_t count = tells_threads(info) ? s->threads.count : 0;

	for (size_t i = 0; i < count; i++) {
		const struct thread_count *t = &s->threads.items[i];

		out_str(out, i ? ",\n {\"trace\":" : "\n {\"trace\":");
		json_out_string(out, path_of(info, t->trace));
		out_char(out, ',');
		put_json_number(out, "pid",
			!info->reader->has_pid || reader_knows_pid(info->reader, t->trace, t->pid),
			t->pid);
		put_json_number(out, "tid", t->tid > 0, t->tid);
		out_printf(out, "\"events\":%" PRIu64 ",", t->events);
		gap_put_json(out, &t->losses);
		out_char(out, ',');
		put_json_span(out, true, t->first_ns, t->last_ns);
		out_char(out, '}');
	}
}

static void put_json_format(struct out *out, const struct reader *r)
{
	out_printf(out, "\"format\":\"%s\",\"version\":", r->format->name);
	if (r->format->is_text) {
		out_str(out, "null,\"byte_order\":null");
		return;
	}
	if (r->format->release) {
		out_str(out, r->format->release);
	} else {
		out_printf(out, "%u", r->version);
	}
	out_printf(out, ",\"byte_order\":\"%s\"", is_big_endian(r) ? "big" : "little");
}

/* Puts one trace; simpletrace files have only path and format. */
static void put_json_trace(struct out *out, const struct info *info, size_t i)
{
	const struct trace_info *t = &info->reader->traces[i];
	bool is_native = t->freq > 0;

	out_str(out, "\n {\"path\":");
	json_out_string(out, path_of(info, i));
	out_char(out, ',');
	put_json_format(out, reader_of(info, i));
	out_char(out, ',');
	json_out_member(out, "host", t->hostname);
	json_out_member(out, "process", t->procname);
	put_json_number(out, "pid", t->pid > 0, t->pid);
	put_json_number(out, "streams", is_native, t->streams);
	put_json_number(out, "streams_gone", is_native, t->streams_gone);
	put_json_number(out, "clock_hz", is_native, t->freq);
	json_out_member(out, "clock_host", t->clock_host ? t->clock_host : "");
	put_json_number(out, "clock_error_ns", t->clock_host != NULL, t->clock_error);
	out_printf(out, "\"cut\":%s,", !is_native ? "null" : t->is_cut ? "true" : "false");
	json_out_member(out, "why", t->why ? t->why : "");
	out_printf(out, t->state ? "\"state\":\"%s\"}" : "\"state\":null}", t->state);
}

/* Puts the traces if there are several, or one that records its process. */
static void put_json_traces(struct out *out, const struct info *info)
{
	const struct reader *r = info->reader;

	if (r->trace_count == 1 && r->traces[0].freq == 0) {
		return;
	}
	out_str(out, "\"traces\":[");
	for (size_t i = 0; i < r->trace_count; i++) {
		out_str(out, i ? "," : "");
		put_json_trace(out, info, i);
	}
	out_str(out, "],\n");
}

/* Puts the triggers that fired; nothing if there are none. */
static void put_json_triggers(struct out *out, const struct reports *r)
{
	const char *before = "\"triggers\":[\n ";

	vec_foreach (struct fired_trigger *const *, it, &r->triggers) {
		const struct fired_trigger *t = *it;

		out_printf(out, "%s{\"trigger\":", before);
		json_out_string(out, t->text);
		out_str(out, ",\"event\":");
		json_out_string(out, t->event);
		out_printf(out, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"times\":%" PRIu64 ",",
			t->pid, t->tid, t->times);
		put_json_span(out, true, t->first_ns, t->last_ns);
		out_char(out, '}');
		before = ",\n ";
	}
	out_str(out, r->triggers.count ? "],\n" : "");
}

/* Puts the calls that limits left out; nothing if there are none. */
static void put_json_left_out(struct out *out, const struct reports *r)
{
	const char *before = "\"left_out\":[\n ";

	vec_foreach (struct left_out *const *, l, &r->left_out) {
		out_printf(out, "%s{\"event\":", before);
		json_out_string(out, (*l)->event);
		out_str(out, ",\"limits\":");
		json_out_string(out, (*l)->limits);
		out_printf(out, ",\"calls\":%" PRIu64 "}", (*l)->calls);
		before = ",\n ";
	}
	out_str(out, r->left_out.count ? "],\n" : "");
}

static bool is_one_format(const struct info *info)
{
	const struct reader *first = reader_of(info, 0);

	for (size_t i = 1; i < info->reader->trace_count; i++) {
		const struct reader *r = reader_of(info, i);

		if (r->format != first->format || r->version != first->version ||
			r->swap != first->swap) {
			return false;
		}
	}
	return true;
}

void info_put_json(struct out *out, const struct info *info)
{
	const struct summary *s = info->summary;

	out_str(out, "{\"trace\":");
	json_out_string(out, path_of(info, 0));
	out_str(out, ",\n");
	put_json_traces(out, info);
	if (is_one_format(info)) {
		put_json_format(out, reader_of(info, 0));
	} else {
		out_str(out, "\"format\":null,\"version\":null,\"byte_order\":null");
	}
	out_str(out, ",\n");
	out_printf(out, "\"events\":%" PRIu64 ",\"gaps\":%" PRIu64 ",", s->events, s->gaps);
	gap_put_json(out, &s->losses);
	out_printf(out, ",\"unread\":%" PRIu64 ",\"damaged\":%s,\n", info->problems,
		info->damaged ? "true" : "false");
	put_json_triggers(out, info->reports);
	put_json_left_out(out, info->reports);
	put_json_span(out, s->events + s->gaps > 0, s->first_ns, s->last_ns);
	out_str(out, ",\n\"pids\":[");
	put_json_pids(out, info);
	out_printf(out, "],\"more_pids\":%s,\n\"threads\":[", s->more_pids ? "true" : "false");
	put_json_threads(out, info);
	out_printf(out, "],\"more_threads\":%s,\n\"kinds\":[", s->more_threads ? "true" : "false");
	for (size_t i = 0; i < s->counts.count; i++) {
		out_str(out, i ? ",\n {\"name\":" : "\n {\"name\":");
		json_out_string(out, s->counts.items[i].class->name);
		out_printf(out, ",\"events\":%" PRIu64 "}", s->counts.items[i].events);
	}
	out_str(out, "]}\n");
}
