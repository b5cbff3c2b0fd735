/* SPDX-License-Identifier: MIT */
/*
 * Mends metadata, see recover/trace_metadata.h. It is parsed as by readers. Except for numbers that
 * can be improved, its text stays as the traced process wrote it, line by line (format/ctf_text.h).
 */
#include "recover/trace_metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "format/ctf_text.h"
#include "format/packet.h"
#include "output/file.h"
#include "read/layout.h"
#include "text/out.h"

void trace_metadata_init(struct trace_metadata *m)
{
	*m = (struct trace_metadata){ 0 };
	ctf_metadata_init(&m->ctf, NULL);
}

void trace_metadata_fini(struct trace_metadata *m)
{
	vec_fini(&m->by_id);
	ctf_metadata_fini(&m->ctf);
}

bool trace_metadata_read(struct trace_metadata *m, int directory, struct read_error *error)
{
	const struct ctf_metadata *md = &m->ctf;
	size_t known = md->events.count;

	if (!ctf_metadata_read(&m->ctf, directory, error)) {
		return false;
	}
	if (!md->has_trace || !md->has_stream) {
		ctf_metadata_check(md, error);
		if (md->is_cut) {
			read_error_set(error, "metadata: is cut before the first event: "
					      "nothing can be read");
		}
		return false;
	}
	if (md->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)) {
		read_error_set(error, "is of a host with the other byte order: recover it on one "
				      "like that");
		return false;
	}
	for (size_t i = known; i < md->events.count; i++) {
		const struct ctf_event *e = &md->events.items[i];

		vec_reach(&m->by_id, e->id);
		m->by_id.items[e->id] = e->layout;
	}
	return true;
}

static int read_text(struct out *text, int directory)
{
	int fd = openat(directory, CTF_METADATA, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n;

	if (fd < 0) {
		return errno;
	}
	while ((n = read(fd, out_reserve(text, 1 << 16), 1 << 16)) > 0) {
		out_advance(text, (size_t)n);
	}
	int error = n < 0 ? errno : 0;

	close(fd);
	return error;
}

/* A new number for the line `name = <number>;` of a block. */
struct better_number {
	const char *name;
	uint64_t value;
	int columns;
};

/* True for the line `name = ...;` of a block. */
static bool is_line_of(const char *line, size_t length, const char *name)
{
	size_t n = strlen(name);

	return length > n + 4 && line[0] == '\t' && memcmp(line + 1, name, n) == 0 &&
	       memcmp(line + 1 + n, " = ", 3) == 0;
}

static const struct better_number *find_better(
	const struct better_number *all, const char *line, size_t length)
{
	for (; all->name; all++) {
		if (is_line_of(line, length, all->name)) {
			return all;
		}
	}
	return NULL;
}

/* The lines of the host's clock follow the last reading, and replace those of an earlier run. */
static void put_host(struct out *out, const struct trace_end *end, const char *line, size_t length)
{
	char last[64];

	snprintf(last, sizeof(last), CTF_ENV_REALTIME, "end");
	if (is_line_of(line, length, last)) {
		out_printf(out, "\t" CTF_ENV_CLOCK_HOST " = \"%s\";\n", end->host);
		out_printf(out, "\t" CTF_ENV_CLOCK_ERROR " = %" PRIu64 ";\n", end->host_error);
	}
}

static bool is_of_host(const char *line, size_t length)
{
	return is_line_of(line, length, CTF_ENV_CLOCK_HOST) ||
	       is_line_of(line, length, CTF_ENV_CLOCK_ERROR);
}

static void put_better(struct out *out, const char *text, const char *stop,
	const struct better_number *all, const struct trace_end *end)
{
	char number[CTF_TEXT_COLUMNS + 1];

	for (const char *line = text; line < stop;) {
		const char *newline = memchr(line, '\n', (size_t)(stop - line));
		size_t length = (size_t)((newline ? newline + 1 : stop) - line);
		const struct better_number *b = find_better(all, line, length);

		if (b) {
			out_printf(out, "\t%s = %s;\n", b->name,
				ctf_text_number(number, b->value, b->columns));
		} else if (!end->host || !is_of_host(line, length)) {
			out_bytes(out, line, length);
		}
		if (end->host) {
			put_host(out, end, line, length);
		}
		line += length;
	}
}

/* Sets the clock of the trace; false if the readings give none. */
static bool get_clock(
	const struct trace_metadata *m, const struct trace_end *end, struct ctf_clock *clock)
{
	struct buffer_clock begin = end->begin;
	struct buffer_clock last = end->last;

	if (!end->host) {
		return ctf_clock_from(clock, &begin, &last);
	}
	/* The rate is that of the host's clock, too. */
	begin.monotonic_ns = begin.realtime_ns;
	last.monotonic_ns = last.realtime_ns;
	if (!ctf_clock_from(clock, &begin, &last)) {
		*clock = m->ctf.clock;
		ctf_clock_place(clock, &begin);
	}
	return true;
}

int trace_metadata_write(
	const struct trace_metadata *m, int directory, const struct trace_end *end, bool *changed)
{
	struct ctf_clock clock = { 0 };
	bool has_clock = get_clock(m, end, &clock);
	const struct better_number all[] = {
		{ CTF_ENV_ENDED, end->ended, 0 },
		{ has_clock ? "freq" : NULL, clock.freq, CTF_TEXT_COLUMNS },
		{ "offset_s", clock.offset_s, CTF_TEXT_COLUMNS },
		{ "offset", clock.offset, CTF_TEXT_COLUMNS },
		{ "clock_end_ticks", end->last.ticks, CTF_TEXT_COLUMNS },
		{ "clock_end_monotonic", end->last.monotonic_ns, CTF_TEXT_COLUMNS },
		{ "clock_end_realtime", end->last.realtime_ns, CTF_TEXT_COLUMNS },
		{ end->host ? "clock_begin_realtime" : NULL, end->begin.realtime_ns,
			CTF_TEXT_COLUMNS },
		{ 0 },
	};
	struct out text;
	struct out better;

	out_init(&text, OUT_TO_MEMORY);
	out_init(&better, OUT_TO_MEMORY);
	int error = read_text(&text, directory);

	if (!error) {
		size_t whole = m->ctf.parsed < text.len ? (size_t)m->ctf.parsed : text.len;

		/* Includes the end of the line, and the empty line before the first event. */
		for (int i = 0; i < 2 && whole < text.len && text.data[whole] == '\n'; i++) {
			whole++;
		}
		put_better(&better, text.data, text.data + whole, all, end);
		error = output_file_write(directory, CTF_METADATA, &better, changed);
	}
	out_fini(&better);
	out_fini(&text);
	return error;
}

struct packet_walk packet_walk(
	const struct trace_metadata *m, const unsigned char *packet, size_t n)
{
	struct packet_header h;

	memcpy(&h, packet, sizeof(h));
	struct packet_walk w = { .last = h.timestamp_begin, .content = sizeof(h) };

	n = h.content_size / 8 < n ? (size_t)(h.content_size / 8) : n;
	for (size_t at = sizeof(h); at + sizeof(uint64_t) <= n;) {
		uint64_t word;

		memcpy(&word, packet + at, sizeof(word));
		uint64_t id = word >> m->ctf.id_shift & ((1u << PACKET_ID_BITS) - 1);
		uint64_t ticks = word >> m->ctf.time_shift;

		at += sizeof(word);
		if (id >= m->by_id.count || !m->by_id.items[id]) {
			break;
		}
		size_t size = layout_measure(m->by_id.items[id], packet + at, n - at, false);

		if (size == SIZE_MAX) {
			break;
		}
		at += size;
		w.last += (ticks - w.last) & PACKET_CLOCK_MASK;
		w.content = at;
		w.events++;
		at = (at + PACKET_EVENT_ALIGN - 1) / PACKET_EVENT_ALIGN * PACKET_EVENT_ALIGN;
	}
	return w;
}
