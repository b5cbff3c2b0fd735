/* SPDX-License-Identifier: MIT */
/* Metadata for recovery, see recover/layout.h. */
#include "recover/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/ctf_text.h"
#include "format/debug.h"
#include "format/packet.h"

#define EVENT_LINE "event { id = "
#define BLOCK_END "};"
#define STREAM_LINE "stream {"
#define FIELDS "fields := struct {"

static const struct {
	const char *name;
	uint8_t bytes;
} types[] = {
	{ "uint8_t", 1 },
	{ "uint16_t", 2 },
	{ "uint32_t", 4 },
	{ "uint64_t", 8 },
	{ "int8_t", 1 },
	{ "int16_t", 2 },
	{ "int32_t", 4 },
	{ "int64_t", 8 },
	{ "pointer32_t", 4 },
	{ "pointer64_t", 8 },
	{ "float32_t", 4 },
	{ "float64_t", 8 },
	{ "utf8_t", FIELD_STRING },
	{ "debug_kind_t", FIELD_DEBUG },
};

/* What the fields of an event are read into. */
struct fields {
	uint8_t bytes[3 * 32];
	size_t count;
};

static bool read_text(struct layouts *l, int directory)
{
	int fd = openat(directory, CTF_METADATA, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	ssize_t n = 1;

	if (fd < 0) {
		return false;
	}
	size_t size = fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;

	l->text = xcalloc(1, size + 1);
	while (l->length < size && n > 0) {
		n = read(fd, l->text + l->length, size - l->length);
		l->length += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return n >= 0;
}

static int digit(char c)
{
	const char *digits = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static bool read_uuid(struct layouts *l)
{
	const char *p = strstr(l->text, "\tuuid = \"");

	p = p ? strchr(p, '"') + 1 : "";
	for (int i = 0; i < 16; i++) {
		p += *p == '-';
		int high = digit(p[0]);
		int low = high < 0 ? -1 : digit(p[1]);

		if (low < 0) {
			return false;
		}
		l->uuid[i] = (uint8_t)(16 * high + low);
		p += 2;
	}
	return true;
}

static int type_bytes(const char *name, size_t n)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (strlen(types[i].name) == n && memcmp(types[i].name, name, n) == 0) {
			return types[i].bytes;
		}
	}
	return -1;
}

static bool push(struct fields *f, uint8_t bytes)
{
	if (f->count == ARRAY_SIZE(f->bytes)) {
		return false;
	}
	f->bytes[f->count++] = bytes;
	return true;
}

/*
 * One field, which ends at `end`. Bytes take in the length before them, the size before that stays
 * a number; 128 bits are two numbers; a variant belongs to its kind.
 */
static bool read_field(struct fields *f, const char *p, const char *end)
{
	size_t n = strcspn(p, " ");
	int bytes = type_bytes(p, n);
	const char *array = memchr(p, '[', (size_t)(end - p));

	if (n == strlen("variant") && memcmp(p, "variant", n) == 0) {
		return f->count > 0 && f->bytes[f->count - 1] == FIELD_DEBUG;
	}
	if (bytes < 0) {
		return false;
	}
	if (array && array[1] == '_') {
		f->count -= f->count > 0;
		return push(f, FIELD_STRING);
	}
	return push(f, (uint8_t)bytes) && (!array || push(f, (uint8_t)bytes));
}

/* `uint32_t _a; uint32_t _s_length; utf8_t _s[_s_length]; }`: a string takes its length in. */
static bool read_fields(struct layouts *l, struct event_layout *layout, const char *p)
{
	struct fields f = { .count = 0 };

	for (p += strspn(p, " "); *p != '}'; p += strspn(p, " ")) {
		const char *end = strchr(p, ';');

		if (!end || !read_field(&f, p, end)) {
			return false;
		}
		p = end + 1;
	}
	uint8_t *kept = arena_alloc(&l->arena, f.count + 1);

	memcpy(kept, f.bytes, f.count);
	*layout = (struct event_layout){ kept, f.count };
	return true;
}

static void read_event(struct layouts *l, const char *line)
{
	unsigned long id = strtoul(line + strlen(EVENT_LINE), NULL, 10);
	const char *fields = strstr(line, FIELDS);
	struct event_layout layout;

	if (id >> PACKET_ID_BITS || !fields || !read_fields(l, &layout, fields + strlen(FIELDS))) {
		return;
	}
	while (l->by_id.count <= id) {
		vec_push(&l->by_id, (struct event_layout){ 0 });
	}
	l->by_id.items[id] = layout;
}

static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

/* A line counts when its end is there; the rest was cut off, or never reached the disk. */
static void read_lines(struct layouts *l)
{
	bool in_stream = false;

	for (char *line = l->text, *end; (end = strchr(line, '\n')); line = end + 1) {
		bool whole = end - line >= 2 && memcmp(end - 2, BLOCK_END, 2) == 0;

		*end = '\0';
		in_stream = in_stream || begins(line, STREAM_LINE);
		if (whole && begins(line, EVENT_LINE)) {
			read_event(l, line);
			l->whole = (size_t)(end + 1 - l->text);
		} else if (in_stream && strcmp(line, BLOCK_END) == 0) {
			l->whole = (size_t)(end + 1 - l->text);
		}
		*end = '\n';
	}
	/* The empty line before the first event. */
	l->whole += l->whole > 0 && l->text[l->whole] == '\n';
}

enum layouts_result layouts_read(struct layouts *l, int directory)
{
	*l = (struct layouts){ 0 };
	arena_init(&l->arena);
	if (!read_text(l, directory)) {
		return errno == ENOENT ? LAYOUTS_NONE : LAYOUTS_UNREADABLE;
	}
	if (!begins(l->text, CTF_SIGNATURE)) {
		return LAYOUTS_NONE;
	}
	if (!strstr(l->text, STREAM_LINE)) {
		return LAYOUTS_CUT;
	}
	if (!strstr(l->text, "\"" CTF_TEXT_TRACER "\"")) {
		return LAYOUTS_NONE;
	}
	if (!strstr(l->text, "byte_order = " CTF_TEXT_BYTE_ORDER ";")) {
		return LAYOUTS_FOREIGN;
	}
	if (!read_uuid(l)) {
		return LAYOUTS_NONE;
	}
	read_lines(l);
	return l->whole > 0 ? LAYOUTS_OK : LAYOUTS_CUT;
}

void layouts_fini(struct layouts *l)
{
	vec_fini(&l->by_id);
	free(l->text);
	arena_fini(&l->arena);
}

static uint64_t read_number(const struct layouts *l, const char *name)
{
	const char *p = strstr(l->text, name);

	return p ? strtoull(p + strlen(name), NULL, 10) : 0;
}

void layouts_get_begin(const struct layouts *l, struct buffer_clock *begin)
{
	const struct buffer_clock there = {
		.ticks = read_number(l, "\tclock_begin_ticks ="),
		.monotonic_ns = read_number(l, "\tclock_begin_monotonic ="),
		.realtime_ns = read_number(l, "\tclock_begin_realtime ="),
	};

	if (there.realtime_ns != 0) {
		*begin = there;
	}
}

/* The line `name = <number>;` with another number. */
struct better {
	const char *name;
	uint64_t value;
	int columns;
};

static const struct better *find_better(const struct better *all, const char *line)
{
	for (; all->name; all++) {
		size_t n = strlen(all->name);

		if (line[0] == '\t' && strncmp(line + 1, all->name, n) == 0 &&
			begins(line + 1 + n, " = ")) {
			return all;
		}
	}
	return NULL;
}

uint64_t layouts_ended(const struct layouts *l)
{
	return read_number(l, "\t" CTF_ENV_ENDED " =");
}

void layouts_put_text(struct out *out, const struct layouts *l, uint64_t ended,
	const struct buffer_clock *begin, const struct buffer_clock *now)
{
	struct ctf_clock clock = { 0 };
	bool known = ctf_clock_from(&clock, begin, now);
	const struct better all[] = {
		{ CTF_ENV_ENDED, ended, 0 },
		{ known ? "freq" : NULL, clock.freq, CTF_TEXT_COLUMNS },
		{ "offset_s", clock.offset_s, CTF_TEXT_COLUMNS },
		{ "offset", clock.offset, CTF_TEXT_COLUMNS },
		{ "clock_end_ticks", now->ticks, CTF_TEXT_COLUMNS },
		{ "clock_end_monotonic", now->monotonic_ns, CTF_TEXT_COLUMNS },
		{ "clock_end_realtime", now->realtime_ns, CTF_TEXT_COLUMNS },
		{ 0 },
	};
	char number[CTF_TEXT_COLUMNS + 1];
	const char *stop = l->text + l->whole;

	for (const char *line = l->text; line < stop;) {
		const char *end = (const char *)memchr(line, '\n', (size_t)(stop - line)) + 1;
		const struct better *b = find_better(all, line);

		if (b) {
			out_printf(out, "\t%s = %s;\n", b->name,
				ctf_text_number(number, b->value, b->columns));
		} else {
			out_bytes(out, line, (size_t)(end - line));
		}
		line = end;
	}
}

/* The end of the field at or behind `at`; SIZE_MAX when it goes beyond `n`. */
static size_t walk_field(size_t bytes, const unsigned char *packet, size_t at, size_t n)
{
	size_t size = bytes == FIELD_STRING ? sizeof(uint32_t) : bytes;
	uint32_t length = 0;

	if (bytes == FIELD_DEBUG) {
		return debug_end(packet, at, n, false, sizeof(void *));
	}
	at = (at + size - 1) / size * size;
	if (at + size > n) {
		return SIZE_MAX;
	}
	if (bytes == FIELD_STRING) {
		memcpy(&length, packet + at, sizeof(length));
	}
	at += size;
	return length <= n - at ? at + length : SIZE_MAX;
}

/* The end of the event whose fields begin at `at`; 0 when it goes beyond `n`. */
static size_t walk_fields(
	const struct event_layout *layout, const unsigned char *packet, size_t at, size_t n)
{
	for (size_t i = 0; i < layout->count; i++) {
		at = walk_field(layout->fields[i], packet, at, n);
		if (at == SIZE_MAX) {
			return 0;
		}
	}
	return at;
}

struct walk layouts_walk(const struct layouts *l, const unsigned char *packet, size_t n)
{
	struct packet_header h;

	memcpy(&h, packet, sizeof(h));
	struct walk w = { .last = h.timestamp_begin, .content = sizeof(h) };

	n = h.content_size / 8 < n ? (size_t)(h.content_size / 8) : n;
	for (size_t at = sizeof(h); at + sizeof(uint64_t) <= n;) {
		uint64_t word;

		memcpy(&word, packet + at, sizeof(word));
		uint64_t id = word & ((1u << PACKET_ID_BITS) - 1);

		if (id >= l->by_id.count || !l->by_id.items[id].fields) {
			break;
		}
		at = walk_fields(&l->by_id.items[id], packet, at + sizeof(word), n);
		if (at == 0) {
			break;
		}
		w.last += ((word >> PACKET_ID_BITS) - w.last) & PACKET_CLOCK_MASK;
		w.content = at;
		w.events++;
		at = (at + PACKET_EVENT_ALIGN - 1) / PACKET_EVENT_ALIGN * PACKET_EVENT_ALIGN;
	}
	return w;
}
