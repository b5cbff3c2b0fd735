/* SPDX-License-Identifier: MIT */
/* The info views, see view/info.h. */
#include "view/info.h"

#include <inttypes.h>

#include "base/escape.h"
#include "view/message.h"
#include "view/message_json.h"

#define NS_PER_S UINT64_C(1000000000)

static bool is_big_endian(const struct reader *r)
{
	return r->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static int64_t first_ns(const struct summary *s)
{
	return s->events + s->gaps ? s->first_ns : 0;
}

static void put_seconds(struct out *out, int64_t ns)
{
	uint64_t n = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;

	out_printf(out, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", n / NS_PER_S, n % NS_PER_S);
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
	put_seconds(out, (int64_t)((uint64_t)s->last_ns - (uint64_t)first_ns(s)));
	out_str(out, " s, from ");
	put_seconds(out, first_ns(s));
	out_str(out, " to ");
	put_seconds(out, s->last_ns);
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

		out_printf(out, "%s%" PRIu32 " (%" PRIu64 ")", i ? ", " : "", p->pid, p->events);
	}
	out_str(out, s->more_pids ? ", and more\n" : "\n");
}

/* What a trace says of its process, host and clock; nothing where it does not. */
static void put_trace(struct out *out, const struct trace_info *t)
{
	if (t->streams == 0 && t->freq == 0) {
		return;
	}
	out_printf(out, "process   %" PRIu32 " ", t->pid);
	put_escaped(out, t->procname);
	out_str(out, t->is_live ? ", which still runs\n" : "\n");
	out_str(out, "host      ");
	put_escaped(out, t->hostname);
	out_printf(out, "\nclock     %" PRIu64 " Hz\n", t->freq);
	out_printf(out, "streams   %zu\n", t->streams);
	if (t->has_leftovers) {
		out_str(out, "left over a part is still in memory, as its process left it: run "
			     "waymark recover\n");
	}
	if (t->is_cut) {
		out_str(out, "cut       the metadata ends inside a declaration\n");
	}
}

static void put_format(struct out *out, const struct reader *r)
{
	const struct reader_format *f = r->format;

	if (f->release) {
		out_printf(out, "format    %s %s", f->name, f->release);
	} else {
		out_printf(out, "format    %s version %u", f->name, r->version);
	}
	out_printf(out, ", %s-endian\n", is_big_endian(r) ? "big" : "little");
}

/* Whose each trace is. */
static void put_traces(struct out *out, const struct info *info)
{
	const struct reader *r = info->reader;
	const struct summary *s = info->summary;

	for (size_t i = 0; i < info->path_count; i++) {
		out_str(out, "trace     ");
		put_escaped(out, info->paths[i]);
		if (info->path_count > 1) {
			out_printf(out, ": %" PRIu64 " events",
				i < s->by_trace.count ? s->by_trace.items[i] : 0);
		}
		out_char(out, '\n');
		if (info->path_count == 1) {
			put_format(out, r);
		}
		put_trace(out, &r->traces[i]);
	}
}

void info_put_text(struct out *out, const struct info *info)
{
	const struct reader *r = info->reader;
	const struct summary *s = info->summary;

	put_traces(out, info);
	out_printf(out, "events    %" PRIu64 " of %zu kinds (%zu names known)\n", s->events,
		s->counts.count, r->classes.all.count);
	out_printf(out, "lost      %" PRIu64 " in %" PRIu64 " gap%s\n", s->lost, s->gaps,
		s->gaps == 1 ? "" : "s");
	if (s->lost_packets) {
		out_printf(out, "missing   %" PRIu64 " packet%s of unknown events\n",
			s->lost_packets, s->lost_packets == 1 ? "" : "s");
	}
	if (info->problems || info->damaged) {
		out_printf(out, "unread    %" PRIu64 " record%s%s\n", info->problems,
			info->problems == 1 ? "" : "s",
			info->damaged ? ", and all behind the damage" : "");
	}
	put_span(out, s);
	put_pids(out, info);
	for (size_t i = 0; i < s->counts.count; i++) {
		out_printf(out, "%12" PRIu64 " ", s->counts.items[i].events);
		put_escaped(out, s->counts.items[i].class->name);
		out_char(out, '\n');
	}
}

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
	if (info->path_count == 1 && info->reader->traces[0].freq == 0) {
		return;
	}
	for (size_t i = 0; i < info->path_count; i++) {
		const struct trace_info *t = &info->reader->traces[i];

		out_str(out, i ? ",\n {\"path\":" : ",\n\"traces\":[\n {\"path\":");
		put_json_string(out, info->paths[i]);
		out_str(out, ",\"host\":");
		put_json_string(out, t->hostname);
		out_str(out, ",\"process\":");
		put_json_string(out, t->procname);
		out_printf(out,
			",\"pid\":%" PRIu32 ",\"streams\":%zu,\"clock_hz\":%" PRIu64
			",\"live\":%s,\"left_over\":%s}",
			t->pid, t->streams, t->freq, t->is_live ? "true" : "false",
			t->has_leftovers ? "true" : "false");
	}
	out_str(out, "]\n");
}

void info_put_json(struct out *out, const struct info *info)
{
	const struct reader *r = info->reader;
	const struct summary *s = info->summary;

	out_str(out, "{\"trace\":");
	put_json_string(out, info->paths[0]);
	put_json_traces(out, info);
	out_printf(out, ",\"format\":\"%s\",\"version\":", r->format->name);
	if (r->format->release) {
		out_str(out, r->format->release);
	} else {
		out_printf(out, "%u", r->version);
	}
	out_printf(out, ",\"byte_order\":\"%s\",\n", is_big_endian(r) ? "big" : "little");
	out_printf(out, "\"events\":%" PRIu64 ",\"gaps\":%" PRIu64 ",\"lost\":%" PRIu64 ",",
		s->events, s->gaps, s->lost);
	if (s->lost_packets) {
		out_printf(out, "\"lost_packets\":%" PRIu64 ",", s->lost_packets);
	}
	out_printf(out, "\"unread\":%" PRIu64 ",\"damaged\":%s,\n", info->problems,
		info->damaged ? "true" : "false");
	out_printf(out, "\"first_ns\":%" PRId64 ",\"last_ns\":%" PRId64 ",\n\"pids\":[",
		first_ns(s), s->last_ns);
	put_json_pids(out, s);
	out_str(out, "],\n\"kinds\":[");
	put_json_counts(out, s);
	out_str(out, "]}\n");
}
