/* SPDX-License-Identifier: MIT */
/* What a trace holds, as JSON: see view/info.h. */
#include <inttypes.h>

#include "view/gap.h"
#include "view/info.h"
#include "view/message/json.h"

static void put_json_string(struct out *out, const char *text)
{
	size_t length = strlen(text);
	char *begin = out_reserve(out, JSON_EXPANSION * length + JSON_QUOTES);

	out_advance(out, (size_t)(json_put_string(begin, text, length) - begin));
}

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
		bool is_told = !info->reader->has_pid || reader_knows_pid(info->reader, 0, p->pid);

		out_str(out, i ? ",{" : "{");
		put_json_number(out, "pid", is_told, p->pid);
		out_printf(out, "\"events\":%" PRIu64 "}", p->events);
	}
}

/* null where there is no time. */
static void put_json_span(struct out *out, bool is_known, int64_t first_ns, int64_t last_ns)
{
	if (is_known) {
		out_printf(out, "\"first_ns\":%" PRId64 ",\"last_ns\":%" PRId64, first_ns, last_ns);
	} else {
		out_str(out, "\"first_ns\":null,\"last_ns\":null");
	}
}

/* None, where no trace tells threads. */
static void put_json_threads(struct out *out, const struct info *info)
{
	const struct summary *s = info->summary;
	size_t count = info_tells_threads(info) ? s->threads.count : 0;

	for (size_t i = 0; i < count; i++) {
		const struct thread_count *t = &s->threads.items[i];

		out_str(out, i ? ",\n {\"trace\":" : "\n {\"trace\":");
		put_json_string(out, info_path(info, t->trace));
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

static void put_json_counts(struct out *out, const struct summary *s)
{
	for (size_t i = 0; i < s->counts.count; i++) {
		out_str(out, i ? ",\n {\"name\":" : "\n {\"name\":");
		put_json_string(out, s->counts.items[i].class->name);
		out_printf(out, ",\"events\":%" PRIu64 "}", s->counts.items[i].events);
	}
}

/* `"key":null` where nothing is known. */
static void put_json_text(struct out *out, const char *key, const char *text)
{
	out_printf(out, "\"%s\":", key);
	if (*text) {
		put_json_string(out, text);
	} else {
		out_str(out, "null");
	}
	out_char(out, ',');
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
	out_printf(out, ",\"byte_order\":\"%s\"", info_is_big_endian(r) ? "big" : "little");
}

/* Simpletrace files say nothing of all this. */
static void put_json_trace(struct out *out, const struct info *info, size_t i)
{
	const struct trace_info *t = &info->reader->traces[i];
	bool is_native = t->freq > 0;

	out_str(out, "\n {\"path\":");
	put_json_string(out, info_path(info, i));
	out_char(out, ',');
	put_json_format(out, info_reader(info, i));
	out_char(out, ',');
	put_json_text(out, "host", t->hostname);
	put_json_text(out, "process", t->procname);
	put_json_number(out, "pid", t->pid > 0, t->pid);
	put_json_number(out, "streams", is_native, t->streams);
	put_json_number(out, "streams_gone", is_native, t->streams_gone);
	put_json_number(out, "clock_hz", is_native, t->freq);
	put_json_text(out, "why", t->why ? t->why : "");
	out_printf(out, t->state ? "\"state\":\"%s\"}" : "\"state\":null}", t->state);
}

/* Whose each trace is, where traces say that or are several. */
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

static bool is_one_format(const struct info *info)
{
	const struct reader *first = info_reader(info, 0);

	for (size_t i = 1; i < info->reader->trace_count; i++) {
		const struct reader *r = info_reader(info, i);

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
	put_json_string(out, info_path(info, 0));
	out_str(out, ",\n");
	put_json_traces(out, info);
	if (is_one_format(info)) {
		put_json_format(out, info_reader(info, 0));
	} else {
		out_str(out, "\"format\":null,\"version\":null,\"byte_order\":null");
	}
	out_str(out, ",\n");
	out_printf(out, "\"events\":%" PRIu64 ",\"gaps\":%" PRIu64 ",", s->events, s->gaps);
	gap_put_json(out, &s->losses);
	out_printf(out, ",\"unread\":%" PRIu64 ",\"damaged\":%s,\n", info->problems,
		info->damaged ? "true" : "false");
	put_json_span(out, s->events + s->gaps > 0, s->first_ns, s->last_ns);
	out_str(out, ",\n\"pids\":[");
	put_json_pids(out, info);
	out_printf(out, "],\"more_pids\":%s,\n\"threads\":[", s->more_pids ? "true" : "false");
	put_json_threads(out, info);
	out_printf(out, "],\"more_threads\":%s,\n\"kinds\":[", s->more_threads ? "true" : "false");
	put_json_counts(out, s);
	out_str(out, "]}\n");
}
