/* SPDX-License-Identifier: MIT */
/*
 * Reads the metadata of a native trace: its file, and the blocks that a trace has once. Each
 * declaration is cut out of the text before it is parsed, so that an error in one does not spoil
 * the others. event.c and parser.c read events and types.
 */
#include "read/ctf/metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "format/ctf.h"
#include "format/packet.h"
#include "read/buffer_folder.h"
#include "read/ctf/parser.h"

/* A Waymark trace never has more metadata. */
#define METADATA_MAX (UINT64_C(256) << 20)

/* The blocks of the trace and its process are the first ones. */
#define HEAD_MAX (64u << 10)

#define PROBLEMS_MAX 100

void ctf_metadata_init(struct ctf_metadata *md, const struct model *declarations)
{
	*md = (struct ctf_metadata){ .declarations = declarations, .line = 1 };
	md->hostname = md->procname = md->boot_id = md->continues = md->clock_host = "";
	md->ended = CTF_FINISHED;
	md->clock.freq = CTF_CLOCK_SECOND;
	arena_init(&md->arena);
	model_init(&md->model);
	hash_init(&md->types);
}

void ctf_metadata_fini(struct ctf_metadata *md)
{
	vec_fini(&md->events);
	vec_fini(&md->problems);
	hash_fini(&md->types);
	model_fini(&md->model);
	arena_fini(&md->arena);
}

void ctf_metadata_rewind(struct ctf_metadata *md)
{
	md->parsed = 0;
	md->line = 1;
}

/* ---- The blocks ---- */

/* A field of the packet's header or context, at the same place in every trace. */
struct packet_field {
	const char *name; /* NULL: end of the list */
	size_t offset; /* bits */
	size_t size; /* bits */
};

#define FIELD(name, member)                                                \
	{                                                                  \
		name, 8 * offsetof(struct packet_header, member),          \
			8 * sizeof(((struct packet_header *)NULL)->member) \
	}

static const struct packet_field header_fields[] = {
	FIELD("magic", magic),
	FIELD("uuid", uuid),
	FIELD("stream_id", stream_id),
	FIELD("stream_instance_id", stream_instance_id),
	{ 0 },
};

static const struct packet_field context_fields[] = {
	FIELD("timestamp_begin", timestamp_begin),
	FIELD("timestamp_end", timestamp_end),
	FIELD("content_size", content_size),
	FIELD("packet_size", packet_size),
	FIELD("packet_seq_num", sequence),
	FIELD("events_discarded", events_discarded),
	FIELD("cpu_id", cpu_id),
	FIELD("tid", tid),
	{ 0 },
};

/* Checks that the struct has exactly the wanted fields, at their places. */
static bool check_packet_fields(
	struct ctf_parser *p, const struct ctf_struct *s, const struct packet_field *wanted)
{
	size_t at = wanted->offset;

	for (size_t i = 0; i < s->fields.count; i++, wanted++) {
		const struct ctf_field *f = &s->fields.items[i];
		size_t size = f->type.size * (f->elements <= 64 ? f->elements : 0);

		at = (at + f->type.align - 1) / f->type.align * f->type.align;
		p->scan.token_line = f->line;
		if (!wanted->name || strcmp(f->name, wanted->name) != 0 || at != wanted->offset ||
			size != wanted->size || f->length_field) {
			return ctf_fail(p,
				"the field '%.80s' is not where Waymark's packets have it: "
				"a trace of another tracer",
				f->name);
		}
		at += size;
	}
	return !wanted->name || ctf_fail(p, "the packet's field '%s' is missing", wanted->name);
}

/* Reads `struct { ... };`, which must have these fields. */
static bool read_packet_fields(struct ctf_parser *p, const struct packet_field *fields)
{
	struct ctf_struct s;
	bool ok = ctf_read_struct(p, &s) && check_packet_fields(p, &s, fields) &&
		  ctf_expect(p, ';', "';'");

	vec_fini(&s.fields);
	return ok;
}

/* Reads 32 hex digits with dashes anywhere. */
static bool read_uuid(struct ctf_parser *p, uint8_t uuid[16])
{
	if (!ctf_expect(p, CTF_TOKEN_STRING, "the trace's uuid in quotes")) {
		return false;
	}
	const struct span text = p->scan.text;
	unsigned int digits = 0;

	for (size_t i = 0; i < text.len && digits <= 32; i++) {
		const char *hex = "0123456789abcdef0123456789ABCDEF";
		const char *digit = text.text[i] ? strchr(hex, text.text[i]) : NULL;

		if (digit && digits < 32) {
			uint8_t value = (uint8_t)((digit - hex) % 16);

			uuid[digits / 2] = (uint8_t)(uuid[digits / 2] << 4 | value);
		}
		digits += digit ? 1 : text.text[i] == '-' ? 0 : 64;
	}
	return digits == 32 ? ctf_expect(p, ';', "';'") : ctf_fail(p, "this is not a uuid");
}

static bool read_trace_attribute(struct ctf_parser *p, void *data, struct span name)
{
	struct ctf_metadata *md = data;

	if (span_equals(name, "uuid")) {
		return read_uuid(p, md->uuid);
	}
	if (span_equals(name, "packet.header")) {
		return read_packet_fields(p, header_fields);
	}
	if (!span_equals(name, "byte_order")) {
		return ctf_skip_value(p);
	}
	if (!ctf_expect(p, CTF_TOKEN_WORD, "the byte order")) {
		return false;
	}
	md->is_big_endian = span_equals(p->scan.text, "be");
	if (!md->is_big_endian && !span_equals(p->scan.text, "le")) {
		return ctf_fail(p, "the byte order is 'le' or 'be'");
	}
	return ctf_expect(p, ';', "';'");
}

static bool read_trace(struct ctf_parser *p, struct ctf_metadata *md)
{
	md->has_trace = ctf_read_block(p, "a name", read_trace_attribute, md);
	return md->has_trace;
}

/* Returns the number just read, which may be in quotes. */
static uint64_t env_number(struct ctf_parser *p)
{
	if (p->scan.token == CTF_TOKEN_STRING) {
		return strtoull(ctf_scan_string(p->arena, p->scan.text), NULL, 0);
	}
	return p->scan.number;
}

/* Sets a clock reading at the start or the end if the attribute is one. */
static void set_clock_reading(struct ctf_parser *p, struct ctf_metadata *md, struct span name)
{
	static const char *const forms[] = { CTF_ENV_TICKS, CTF_ENV_MONOTONIC, CTF_ENV_REALTIME };
	static const char *const whens[] = { "begin", "end" };
	struct buffer_clock *readings[] = { &md->begin, &md->end };
	char wanted[64];

	for (size_t i = 0; i < ARRAY_SIZE(whens) * ARRAY_SIZE(forms); i++) {
		struct buffer_clock *c = readings[i % 2];
		uint64_t *const members[] = { &c->ticks, &c->monotonic_ns, &c->realtime_ns };

		snprintf(wanted, sizeof(wanted), forms[i / 2], whens[i % 2]);
		if (span_equals(name, wanted)) {
			*members[i / 2] = env_number(p);
			return;
		}
	}
}

static bool read_env_attribute(struct ctf_parser *p, void *data, struct span name)
{
	struct ctf_metadata *md = data;

	const struct {
		const char *name;
		const char **text;
	} texts[] = {
		{ "hostname", &md->hostname },
		{ "procname", &md->procname },
		{ CTF_ENV_BOOT_ID, &md->boot_id },
		{ CTF_ENV_CONTINUES, &md->continues },
		{ CTF_ENV_CLOCK_HOST, &md->clock_host },
	};

	ctf_scan_next(&p->scan);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (span_equals(name, texts[i].name)) {
			*texts[i].text = ctf_scan_string(p->arena, p->scan.text);
		}
	}
	if (span_equals(name, "vpid")) {
		md->pid = (uint32_t)env_number(p);
		md->has_pid = true;
	}
	if (span_equals(name, CTF_ENV_ENDED)) {
		md->ended = (uint32_t)env_number(p);
	}
	if (span_equals(name, CTF_ENV_OVERWRITES)) {
		md->overwrites = env_number(p) == 1;
	}
	if (span_equals(name, CTF_ENV_CLOCK_ERROR)) {
		md->clock_error = env_number(p);
	}
	set_clock_reading(p, md, name);
	return ctf_expect(p, ';', "';'");
}

static bool read_env(struct ctf_parser *p, struct ctf_metadata *md)
{
	return ctf_read_block(p, "a name", read_env_attribute, md);
}

static bool read_clock_attribute(struct ctf_parser *p, void *data, struct span name)
{
	struct ctf_metadata *md = data;

	struct {
		const char *name;
		uint64_t *value;
	} numbers[] = {
		{ "freq", &md->clock.freq },
		{ "offset_s", &md->clock.offset_s },
		{ "offset", &md->clock.offset },
	};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (span_equals(name, numbers[i].name)) {
			bool ok = ctf_expect(p, CTF_TOKEN_NUMBER, "a number");

			*numbers[i].value = p->scan.number;
			return ok && ctf_expect(p, ';', "';'");
		}
	}
	return ctf_skip_value(p);
}

/* Keeps the clock read before if the new one is truncated or invalid. */
static bool read_clock(struct ctf_parser *p, struct ctf_metadata *md)
{
	struct ctf_clock before = md->clock;
	struct ctf_clock *c = &md->clock;
	bool ok = ctf_read_block(p, "a name", read_clock_attribute, md);

	if (ok && (c->freq == 0 || c->freq > CTF_CLOCK_FREQ_MAX)) {
		ok = ctf_fail(p, "a clock of %" PRIu64 " Hz", c->freq);
	} else if (ok && c->offset >= c->freq) {
		ok = ctf_fail(p,
			"a clock's offset of %" PRIu64
			" ticks is a second or more: a second has %" PRIu64,
			c->offset, c->freq);
	}
	if (!ok) {
		*c = before;
	}
	md->has_clock |= ok;
	return ok;
}

/* Reads `struct { id, timestamp } align(64);`: one 64-bit word, with its fields in either order. */
static bool read_event_header(struct ctf_parser *p, struct ctf_metadata *md)
{
	struct ctf_struct s;
	bool ok = ctf_read_struct(p, &s) && ctf_expect(p, ';', "';'");
	const struct ctf_field *f = s.fields.items;

	if (ok && s.fields.count == 2) {
		size_t time = strcmp(f[0].name, "timestamp") != 0;
		const struct ctf_field *id = &f[!time];

		ok = strcmp(f[time].name, "timestamp") == 0 && strcmp(id->name, "id") == 0 &&
		     f[time].type.size == PACKET_CLOCK_BITS && id->type.size == PACKET_ID_BITS &&
		     f[0].elements == 1 && f[1].elements == 1;
		/* In little-endian order, the first field has the lowest bits. */
		md->time_shift = (time == 0) != md->is_big_endian ? 0 : PACKET_ID_BITS;
		md->id_shift = md->time_shift ? 0 : PACKET_CLOCK_BITS;
	} else {
		ok = false;
	}
	vec_fini(&s.fields);
	return ok || ctf_fail(p, "events begin with something else than id and timestamp in one "
				 "word: a trace of another tracer");
}

static bool read_stream_attribute(struct ctf_parser *p, void *data, struct span name)
{
	struct ctf_metadata *md = data;

	if (span_equals(name, "packet.context")) {
		return read_packet_fields(p, context_fields);
	}
	if (span_equals(name, "event.header")) {
		md->has_stream = true;
		return read_event_header(p, md);
	}
	if (span_equals(name, "event.context") || span_equals(name, "stream.event.context")) {
		return ctf_fail(p, "events with contexts: a trace of another tracer");
	}
	return ctf_skip_value(p);
}

static bool read_stream(struct ctf_parser *p, struct ctf_metadata *md)
{
	bool ok = ctf_read_block(p, "a name", read_stream_attribute, md);

	md->has_stream = md->has_stream && ok;
	return ok;
}

/* ---- Declarations ---- */

/* Reads one declaration; skips an unknown one. */
static bool read_declaration(struct ctf_parser *p, struct ctf_metadata *md)
{
	static const struct {
		const char *word;
		bool (*read)(struct ctf_parser *p, struct ctf_metadata *md);
	} kinds[] = {
		{ "trace", read_trace },
		{ "env", read_env },
		{ "clock", read_clock },
		{ "stream", read_stream },
		{ "event", ctf_read_event },
		{ "variant", ctf_read_variant },
	};

	if (ctf_scan_next(&p->scan) != CTF_TOKEN_WORD) {
		return p->scan.token == ';' || ctf_fail(p, "expected a declaration");
	}
	if (span_equals(p->scan.text, "typealias")) {
		return ctf_read_typealias(p);
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (span_equals(p->scan.text, kinds[i].word)) {
			return kinds[i].read(p, md);
		}
	}
	return true;
}

void ctf_metadata_note(struct ctf_metadata *md, const struct read_error *error)
{
	if (md->problems.count < PROBLEMS_MAX) {
		vec_push(&md->problems, arena_strdup(&md->arena, error->text));
	}
}

/* Reads declarations up to the last complete one, and moves `scan` there. */
static void parse_all(struct ctf_metadata *md, struct ctf_scan *scan)
{
	struct ctf_scan end = *scan;
	struct read_error error;

	while (ctf_scan_skip(&end)) {
		struct ctf_parser p = {
			.scan = *scan,
			.arena = &md->arena,
			.types = &md->types,
			.error = &error,
		};

		p.scan.end = end.pos;
		if (!read_declaration(&p, md)) {
			ctf_metadata_note(md, &error);
		}
		scan->pos = end.pos;
		scan->line = end.line;
	}
}

bool ctf_metadata_parse(
	struct ctf_metadata *md, const char *text, size_t size, struct read_error *error)
{
	struct ctf_scan scan;

	if (md->parsed == 0 && (size < strlen(CTF_SIGNATURE) ||
				       memcmp(text, CTF_SIGNATURE, strlen(CTF_SIGNATURE)) != 0)) {
		read_error_set(error, CTF_METADATA ":1: does not begin with " CTF_SIGNATURE
						   ": no trace in the native format");
		return false;
	}
	ctf_scan_init(&scan, text, size, md->line);
	parse_all(md, &scan);
	md->parsed += (uint64_t)(scan.pos - text);
	md->line = scan.line;
	md->is_cut = ctf_scan_next(&scan) != CTF_TOKEN_END;
	return true;
}

/* ---- The file ---- */

static bool read_all(int fd, char *text, size_t size, uint64_t offset)
{
	while (size > 0) {
		ssize_t n = pread(fd, text, size, (off_t)offset);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			errno = n == 0 ? EIO : errno;
			return false;
		}
		text += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return true;
}

static bool cannot_read(struct read_error *error)
{
	return read_error_because(error, "cannot read the trace's " CTF_METADATA, errno);
}

/* Reads the rest of the first `most` bytes. */
static bool read_file(struct ctf_metadata *md, int fd, uint64_t most, struct read_error *error)
{
	off_t end = lseek(fd, 0, SEEK_END);
	uint64_t size = end < 0 ? 0 : (uint64_t)end;

	if (end < 0) {
		return cannot_read(error);
	}
	if (size > METADATA_MAX) {
		errno = EFBIG;
		return cannot_read(error);
	}
	size = size < most ? size : most;
	size = size > md->parsed ? size - md->parsed : 0;
	char *text = xrealloc(NULL, size + 1);
	bool ok = read_all(fd, text, size, md->parsed) || cannot_read(error);

	ok = ok && ctf_metadata_parse(md, text, size, error);
	free(text);
	return ok;
}

static bool read_most(
	struct ctf_metadata *md, int directory, uint64_t most, struct read_error *error)
{
	int fd = openat(directory, CTF_METADATA, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);

	if (fd < 0 && errno == ENOENT) {
		read_error_set(error, "a directory without the file '" CTF_METADATA "': no trace");
		return false;
	}
	if (fd < 0) {
		return cannot_read(error);
	}
	bool ok = read_file(md, fd, most, error);

	close(fd);
	return ok;
}

bool ctf_metadata_read(struct ctf_metadata *md, int directory, struct read_error *error)
{
	return read_most(md, directory, METADATA_MAX, error);
}

bool ctf_metadata_of_buffer(struct ctf_metadata *md, const struct buffer_trace *t, struct stat *st)
{
	int directory = buffer_folder_open(t->directory, O_RDONLY | O_DIRECTORY);
	struct read_error ignored;

	ctf_metadata_init(md, NULL);
	if (directory < 0) {
		return false;
	}
	bool same = read_most(md, directory, HEAD_MAX, &ignored) &&
		    memcmp(md->uuid, t->uuid, sizeof(md->uuid)) == 0 &&
		    (!st || fstat(directory, st) == 0);

	close(directory);
	return same;
}

bool ctf_trace_is_there(const struct buffer_trace *t, struct stat *st)
{
	struct ctf_metadata md;
	bool same = ctf_metadata_of_buffer(&md, t, st);

	ctf_metadata_fini(&md);
	return same;
}

bool ctf_metadata_check(const struct ctf_metadata *md, struct read_error *error)
{
	const char *missing = !md->has_trace ? "trace" : !md->has_stream ? "stream" : "clock";

	if (md->has_trace && md->has_stream && md->has_clock) {
		return true;
	}
	if (md->problems.count > 0) {
		read_error_set(error, "%s", md->problems.items[0]);
	} else if (md->is_cut) {
		read_error_set(error,
			CTF_METADATA ":%u: the declaration that begins here has no end, and no "
				     "'%s' came before it",
			md->line, missing);
	} else {
		read_error_set(error, CTF_METADATA ":%u: ends without having declared a '%s'",
			md->line, missing);
	}
	return false;
}
