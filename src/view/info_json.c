/* SPDX-License-Identifier: MIT */
/* What a trace holds, as JSON: see view/info.h. */
#include <inttypes.h>

#include "view/gap.h"
#include "view/info.h"
#include "view/message_json.h"

static void put_json_string(struct out *out, const char *text)
{
	size_t length = strlen(text);
	char *begin = out_reserve(out, JSON_EXPANSION * length + JSON_QUOTES);

	out_advance(out, (size_t)(json_string(begin, text, length) - begin));
}

static void put_json_pids(struct out *out, const struct summary *s)
{
	for (size_t i = 0; i < s->pids.count; i++) {
		out_printf(out, "%s{\"pid\":%" PRIu32 ",\"events\":%" PRIu64 "}", i ? "," : "",
			s->pids.items[i].pid, s->pids.items[i].events);
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
		out_printf(out, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"events\":%" PRIu64 ",",
			t->pid, t->tid, t->events);
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

/* Whose each trace is, where traces say that or are several. */
static void put_json_traces(struct out *out, const struct info *info)
{
	if (info->reader->trace_count == 1 && info->reader->traces[0].freq == 0) {
		return;
	}
	for (size_t i = 0; i < info->reader->trace_count; i++) {
		const struct trace_info *t = &info->reader->traces[i];

		out_str(out, i ? ",\n {\"path\":" : ",\n\"traces\":[\n {\"path\":");
		put_json_string(out, info_path(info, i));
		out_str(out, ",\"host\":");
		put_json_string(out, t->hostname);
		out_str(out, ",\"process\":");
		put_json_string(out, t->procname);
		out_printf(out,
			",\"pid\":%" PRIu32
			",\"streams\":%zu,\"streams_gone\":%zu,\"clock_hz\":%" PRIu64 ",\"state\":",
			t->pid, t->streams, t->streams_gone, t->freq);
		out_printf(out, t->state ? "\"%s\"}" : "null}", t->state);
	}
	out_str(out, "]\n");
}

void info_put_json(struct out *out, const struct info *info)
{
	const struct reader *r = info->reader;
	const struct summary *s = info->summary;

	out_str(out, "{\"trace\":");
	put_json_string(out, info_path(info, 0));
	put_json_traces(out, info);
	out_printf(out, ",\"format\":\"%s\",\"version\":", r->format->name);
	if (r->format->release) {
		out_str(out, r->format->release);
	} else {
		out_printf(out, "%u", r->version);
	}
	out_printf(out, ",\"byte_order\":\"%s\",\n", info_is_big_endian(info) ? "big" : "little");
	out_printf(out, "\"events\":%" PRIu64 ",\"gaps\":%" PRIu64 ",", s->events, s->gaps);
	gap_put_json(out, &s->losses);
	out_printf(out, ",\"unread\":%" PRIu64 ",\"damaged\":%s,\n", info->problems,
		info->damaged ? "true" : "false");
	put_json_span(out, s->events + s->gaps > 0, s->first_ns, s->last_ns);
	out_str(out, ",\n\"pids\":[");
	put_json_pids(out, s);
	out_str(out, "],\n\"threads\":[");
	put_json_threads(out, info);
	out_str(out, "],\n\"kinds\":[");
	put_json_counts(out, s);
	out_str(out, "]}\n");
}
