/* SPDX-License-Identifier: MIT */
/*
 * Converts a packet's records to records of a simpletrace file. Each event has an encoder, compiled
 * once from its entry, with an operation for each argument. Events whose arguments are all 8 bytes
 * wide, the usual case, are copied unchanged.
 */
#include <string.h>
#include <sys/mman.h>

#include "base/compiler.h"
#include "format/debug.h"
#include "format/packet.h"
#include "rt/event/registry.h"
#include "rt/record/process.h"
#include "rt/record/stats.h"
#include "rt/simple/input.h"
#include "rt/simple/simple.h"

#define POOL_BYTES (UINT64_C(64) << 10)

/* Longer names do not fit into SIMPLE_RECORD_ROOM. */
#define NAME_MAX_BYTES 32768u

/* How an argument is stored in a packet; numbers become a u64, all else a string. */
enum op {
	OP_U8,
	OP_S8,
	OP_U16,
	OP_S16,
	OP_U32,
	OP_S32,
	OP_64,
	OP_F32, /* `float` and `double` of old declarations: their whole part */
	OP_F64,
	OP_STRING,
	/* Operations for all but words: */
	OP_PAIR,
	OP_BLOB,
	OP_DEBUG
};

static const uint8_t op_size[] = { 1, 1, 2, 2, 4, 4, 8, 4, 8, 4 };

/*
 * Returns the whole part as a u64: a negative one in two's complement, the nearest value if it is
 * out of range, 0 for a NaN.
 */
static uint64_t whole_part(double v)
{
	if (v >= 0x1p64) {
		return UINT64_MAX;
	}
	if (v >= 0) {
		return (uint64_t)v;
	}
	return v > -0x1p63 ? (uint64_t)(int64_t)v : v < 0 ? (uint64_t)INT64_MIN : 0;
}

static uint64_t load(const char *from, enum op op)
{
	union {
		uint8_t u8;
		int8_t s8;
		uint16_t u16;
		int16_t s16;
		uint32_t u32;
		int32_t s32;
		uint64_t u64;
		float f32;
		double f64;
	} v;

	memcpy(&v, from, op_size[op]);
	switch (op) {
	case OP_U8:
		return v.u8;
	case OP_S8:
		return (uint64_t)v.s8;
	case OP_U16:
		return v.u16;
	case OP_S16:
		return (uint64_t)v.s16;
	case OP_S32:
		return (uint64_t)v.s32;
	case OP_64:
		return v.u64;
	case OP_F32:
		return whole_part((double)v.f32);
	case OP_F64:
		return whole_part(v.f64);
	default:
		return v.u32;
	}
}

struct simple_encoder {
	uint32_t generation; /* of the file that has the event's name already */
	uint32_t name_length;
	uint8_t count; /* arguments */
	bool plain; /* all of 8 bytes */
	const char *name;
	uint8_t ops[];
};

/* The bytes before an event's arguments. */
struct head {
	uint64_t type;
	struct simple_record record;
};

static char *batch_end(struct simple_out *out)
{
	return out->batch + SIMPLE_GAP_BYTES + out->fill;
}

/* Memory for encoders: not malloc's, which a crash may have left locked. */
static void *pool_take(struct simple_pool *pool, size_t size)
{
	size = (size + 7) & ~(size_t)7;
	if ((size_t)(pool->end - pool->pos) < size) {
		char *block = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (block == MAP_FAILED) {
			return NULL;
		}
		madvise(block, POOL_BYTES, MADV_DONTFORK); /* the table of encoders is wiped */
		pool->pos = block;
		pool->end = block + POOL_BYTES;
	}
	pool->pos += size;
	return pool->pos - size;
}

static enum op op_of(const struct waymark_entry_arg *arg)
{
	static const uint8_t by_size[9][2] = {
		[1] = { OP_U8, OP_S8 },
		[2] = { OP_U16, OP_S16 },
		[4] = { OP_U32, OP_S32 },
		[8] = { OP_64, OP_64 },
	};

	static const uint8_t by_kind[] = {
		[WAYMARK_STRING] = OP_STRING,
		[WAYMARK_TEXT] = OP_BLOB,
		[WAYMARK_BYTES] = OP_BLOB,
		[WAYMARK_DEBUG] = OP_DEBUG,
	};

	if (by_kind[arg->kind] && arg->size == 0) {
		return by_kind[arg->kind];
	}
	if (strcmp(arg->type, "double") == 0) {
		return OP_F64;
	}
	if (strcmp(arg->type, "float") == 0) {
		return OP_F32;
	}
	return arg->size > 8 ? OP_PAIR : by_size[arg->size][arg->kind == WAYMARK_SIGNED];
}

static struct simple_encoder *compile(struct simple_out *out, const struct waymark_entry *entry)
{
	struct simple_encoder *e = pool_take(&out->pool, sizeof(*e) + entry->arg_count);
	size_t name_length = strlen(entry->name);

	if (!e) {
		return NULL;
	}
	e->generation = 0;
	e->name = entry->name;
	e->name_length = (uint32_t)(name_length < NAME_MAX_BYTES ? name_length : NAME_MAX_BYTES);
	e->count = 0;
	e->plain = true;
	for (unsigned int i = 0; i < entry->arg_count; i++) {
		const struct waymark_entry_arg *arg = &entry->args[i];

		if (arg->kind != WAYMARK_STRING || arg->size != WAYMARK_NOT_IN_SIMPLE) {
			enum op op = op_of(arg);

			e->ops[e->count++] = (uint8_t)op;
			e->plain &= op == OP_64;
		}
	}
	return e;
}

static char *put(char *to, const void *what, size_t size)
{
	memcpy(to, what, size);
	return to + size;
}

void waymark_simple_gap(struct simple_out *out, uint64_t count, uint64_t ns)
{
	struct head h = { SIMPLE_EVENT,
		{ SIMPLE_DROPPED_ID, ns, sizeof(h.record) + sizeof(count), out->pid } };

	if (out->fill > SIMPLE_BATCH_BYTES - SIMPLE_RECORD_ROOM) {
		waymark_simple_write(out);
	}
	put(put(batch_end(out), &h, sizeof(h)), &count, sizeof(count));
	out->fill += sizeof(h) + sizeof(count);
}

static void map_name(struct simple_out *out, struct simple_encoder *e, uint64_t id)
{
	uint64_t type = SIMPLE_MAPPING;
	char *to = put(batch_end(out), &type, sizeof(type));

	to = put(to, &id, sizeof(id));
	to = put(to, &e->name_length, sizeof(e->name_length));
	to = put(to, e->name, e->name_length);
	out->fill = (size_t)(to - out->batch) - SIMPLE_GAP_BYTES;
	e->generation = out->generation;
}

static bool same_args(const struct waymark_entry *a, const struct waymark_entry *b)
{
	for (unsigned int i = 0; i < a->arg_count; i++) {
		if (strcmp(a->args[i].name, b->args[i].name) != 0 ||
			strcmp(a->args[i].type, b->args[i].type) != 0) {
			return false;
		}
	}
	return true;
}

/* True if records of both events read alike, no matter where the events were declared. */
static bool reads_alike(const struct waymark_entry *a, const struct waymark_entry *b)
{
	return a->arg_count == b->arg_count && strcmp(a->format, b->format) == 0 && same_args(a, b);
}

/*
 * Reports two events with the same name but different declarations, when the second of them is
 * first recorded, before it gets its encoder. Libraries of a program may have such events, and a
 * simpletrace file identifies the declaration of a record only by name, so readers cannot
 * distinguish them.
 */
static void report_twin(const struct simple_out *out, const struct waymark_entry *entry)
{
	const struct waymark_entry *other = waymark_registry_same_name(entry);

	if (entry->flags & WAYMARK_EVENT_SITE) {
		return; /* trace points of a category: each record has its text */
	}
	while (other != entry && (!out->encoders[other->id] || reads_alike(entry, other))) {
		other = waymark_registry_same_name(other);
	}
	if (other != entry) {
		waymark_notice(waymark_process_current(),
			"simple: '%s' is declared differently at %s:%u and %s:%u, and the records "
			"do not distinguish them; use ctf",
			entry->name, other->file, other->line, entry->file, entry->line);
	}
}

/*
 * Prepares an event that cannot be encoded immediately, because room, its encoder, its name in this
 * file, or a note of losses before it is missing. Returns NULL if the event is unknown.
 */
static COLD struct simple_encoder *prepare(
	struct simple_out *out, struct simple_input *in, uint32_t id, uint64_t ns)
{
	struct simple_encoder *e;

	if (out->fill > SIMPLE_BATCH_BYTES - SIMPLE_RECORD_ROOM) {
		waymark_simple_write(out);
	}
	if (!out->encoders[id]) {
		const struct waymark_entry *entry = waymark_registry_entry(id);

		if (entry) {
			report_twin(out, entry);
			out->encoders[id] = compile(out, entry);
		}
	}
	e = out->encoders[id];
	if (!e) {
		return NULL;
	}
	if (in->gap) {
		waymark_simple_gap(out, in->gap, ns);
		in->gap = 0;
	}
	if (e->generation != out->generation) {
		map_name(out, e, id);
	}
	return e;
}

/*
 * Copies a string after its length, without the NUL that marks NULL and cut strings. Returns NULL
 * if the length is invalid.
 */
static const char *put_string(char **to, const char *from, const char *end, uint32_t word)
{
	if (from > end || word > (size_t)(end - from)) {
		return NULL;
	}
	uint32_t length = word > 0 && from[word - 1] == '\0' ? word - 1 : word;

	*to = put(*to, &length, sizeof(length));
	*to = put(*to, from, length);
	return from + word;
}

/* Writes a string of `length` bytes, after the kind unless that is DEBUG_KINDS. */
static const char *put_bytes(char **to, unsigned int kind, const char *from, uint32_t length)
{
	uint32_t whole = length + (kind < DEBUG_KINDS);

	*to = put(*to, &whole, sizeof(whole));
	if (kind < DEBUG_KINDS) {
		*(*to)++ = (char)kind;
	}
	*to = put(*to, from, length);
	return from + length;
}

/* Copies the recorded bytes of a text or blob; returns NULL if the length is impossible. */
static const char *put_blob(char **to, unsigned int kind, const char *from, const char *end)
{
	const char *bytes = (const char *)debug_blob_at((uintptr_t)from);
	uint32_t length;

	if (bytes > end) {
		return NULL;
	}
	memcpy(&length, bytes - sizeof(length), sizeof(length));
	return length <= (size_t)(end - bytes) ? put_bytes(to, kind, bytes, length) : NULL;
}

static const char *put_number(
	char **to, unsigned int kind, const char *from, const char *end, size_t size)
{
	from = (const char *)debug_number_at((uintptr_t)from, size);
	return from <= end && size <= (size_t)(end - from)
		       ? put_bytes(to, kind, from, (uint32_t)size)
		       : NULL;
}

/* Writes an argument that is not a string as a string; returns NULL if that is impossible. */
static COLD const char *put_odd(char **to, enum op op, const char *from, const char *end)
{
	if (op == OP_PAIR) {
		return put_number(to, DEBUG_KINDS, from, end, 2 * sizeof(uint64_t));
	}
	if (op == OP_BLOB) {
		return put_blob(to, DEBUG_KINDS, from, end);
	}
	unsigned int kind = from < end ? (unsigned char)*from : DEBUG_KINDS;

	if (kind >= DEBUG_KINDS) {
		return NULL;
	}
	size_t size = debug_bytes(kind, sizeof(void *));

	return size ? put_number(to, kind, from + 1, end, size) : put_blob(to, kind, from + 1, end);
}

/* Translates arguments one by one; returns their end in the packet, or NULL if they are invalid. */
static const char *put_args(
	const struct simple_encoder *e, char **to, const char *from, const char *end)
{
	for (unsigned int i = 0; from && i < e->count; i++) {
		enum op op = e->ops[i];

		if (UNLIKELY(op > OP_STRING)) {
			from = put_odd(to, op, from, end);
			continue;
		}
		from = (const char *)(((uintptr_t)from + op_size[op] - 1) &
				      ~(uintptr_t)(op_size[op] - 1));
		uint64_t value = load(from, op);

		from += op_size[op];
		if (op == OP_STRING) {
			from = put_string(to, from, end, (uint32_t)value);
		} else {
			*to = put(*to, &value, sizeof(value));
		}
	}
	return from <= end ? from : NULL;
}

/* Encodes one event; returns its end in the packet, or NULL if the packet is damaged. */
static inline const char *put_event(struct simple_out *out, const struct simple_encoder *e,
	struct head *h, const struct simple_input *in)
{
	char *start = batch_end(out);
	char *to = start + sizeof(*h);
	const char *from = in->pos + sizeof(uint64_t);

	if (e->plain) {
		if (in->end - from < (ptrdiff_t)(8 * e->count)) {
			return NULL;
		}
		to = put(to, from, 8 * e->count);
		from += 8 * e->count;
	} else {
		from = put_args(e, &to, from, in->end);
		if (!from) {
			return NULL;
		}
	}
	h->record.length = (uint32_t)(to - start - sizeof(h->type));
	memcpy(start, h, sizeof(*h));
	out->fill += (size_t)(to - start);
	return from;
}

/*
 * Encodes further events of the last one's number, whose arguments are `count` words; returns how
 * many. The caller has checked everything that depends on the number.
 */
static inline __attribute__((always_inline)) uint64_t put_words(struct simple_out *out,
	struct simple_input *in, struct head *h, uint64_t limit, size_t count)
{
	const struct clock_segment clock = out->clock;
	const size_t size = sizeof(uint64_t) * (1 + count);
	char *const begin = batch_end(out);
	char *const full = begin - out->fill + SIMPLE_BATCH_BYTES - SIMPLE_RECORD_ROOM;
	char *pos = in->pos;
	uint64_t last = in->ticks;
	uint64_t ns = h->record.ns;
	char *to = begin;

	while (in->end - pos >= (ptrdiff_t)size && to <= full) {
		uint64_t word;

		memcpy(&word, pos, sizeof(word));
		uint64_t ticks = simple_ticks_of(word, last);
		uint64_t at = clock_to_ns(&clock, ticks);

		if ((uint16_t)word != h->record.id || ticks > limit) {
			break;
		}
		last = ticks;
		ns = at > ns ? at : ns;
		h->record.ns = ns;
		memcpy(to, h, sizeof(*h));
		memcpy(to + sizeof(*h), pos + sizeof(word), size - sizeof(word));
		to += sizeof(*h) + size - sizeof(word);
		pos += size;
	}
	uint64_t events = (uint64_t)(pos - in->pos) / size;

	in->pos = pos;
	in->ticks = last;
	out->fill += (size_t)(to - begin);
	return events;
}

/* Does so, by code of its own for the usual numbers of arguments. */
static uint64_t put_alike(struct simple_out *out, struct simple_input *in, struct head *h,
	uint64_t limit, size_t count)
{
	if (count == 2) {
		return put_words(out, in, h, limit, 2);
	}
	if (count == 1) {
		return put_words(out, in, h, limit, 1);
	}
	if (count == 3) {
		return put_words(out, in, h, limit, 3);
	}
	return put_words(out, in, h, limit, count);
}

/* Skips the rest of an invalid packet, and counts it as lost. */
static COLD void skip_packet(struct simple_input *in)
{
	in->pos = in->end;
	in->gap++; /* at least one event */
}

uint64_t waymark_simple_run(struct simple_out *out, struct simple_input *in, uint64_t limit)
{
	struct head h = { SIMPLE_EVENT, { 0, *in->thread_ns, 0, out->pid } };
	bool counting = counts_are_on();
	struct counts_run run = { 0 };
	uint64_t events = 0;
	uint64_t bytes = 0;

	while (in->pos < in->end) {
		uint64_t word;

		memcpy(&word, in->pos, sizeof(word));
		uint64_t ticks = simple_ticks_of(word, in->ticks);

		if (ticks > limit) {
			break;
		}
		uint64_t ns = clock_to_ns(&out->clock, ticks);
		struct simple_encoder *e = out->encoders[(uint16_t)word];

		in->ticks = ticks;
		h.record.ns = ns > h.record.ns ? ns : h.record.ns;
		h.record.id = (uint16_t)word;
		if (UNLIKELY(!e || e->generation != out->generation || in->gap ||
			     out->fill > SIMPLE_BATCH_BYTES - SIMPLE_RECORD_ROOM)) {
			e = prepare(out, in, (uint16_t)word, h.record.ns);
		}
		const char *from = e ? put_event(out, e, &h, in) : NULL;

		if (UNLIKELY(!from)) {
			skip_packet(in);
			break;
		}
		char *end = (char *)(((uintptr_t)from + 7) & ~(uintptr_t)7);

		if (UNLIKELY(counting && (uint16_t)word != run.id)) {
			counts_add_run(&run, (uint16_t)word, events, bytes);
		}
		const char *first = in->pos;

		in->pos = end;
		events++;
		if (e->plain) {
			events += put_alike(out, in, &h, limit, e->count);
		}
		bytes += (uint64_t)(in->pos - first);
	}
	if (counting) {
		counts_add_run(&run, 0, events, bytes);
	}
	*in->thread_ns = h.record.ns;
	return events;
}
