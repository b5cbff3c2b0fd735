/* SPDX-License-Identifier: MIT */
/*
 * Merges several traces by time in one reader. Each part holds its next record; records of one
 * trace follow until their time passes the next trace's. A part reads its next record only after
 * its last one was used. Commands and the API open traces with this.
 */
#include "read/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "read/folder.h"
#include "text/out.h"

enum part_state {
	PART_BEHIND, /* its next record was not read yet */
	PART_READY, /* its next record is `record` */
	PART_WAITING, /* it is followed, and has no record up to its horizon */
	PART_ENDED,
};

struct part {
	struct reader *reader;
	const char *path;
	enum part_state state;
	struct record record; /* record of its reader, with shifted time */
	uint64_t shift; /* difference from its time to the first trace's, modulo 2^64 */
	uint32_t first_trace; /* index of its first trace in the merged reader */
	VEC(struct event_class *) classes; /* merged classes by its own index; NULL: not seen yet */
};

struct merge {
	struct reader base;
	struct folder_traces members; /* paths of all parts, even of those that cannot be opened */
	struct part *parts;
	size_t count;
	struct part *current;
	int64_t limit; /* `current` continues up to this time */
	bool has_waited; /* the caller has waited, as no part had a record */
	struct trace_info *traces;
	const char *hostname; /* hostname of the first trace that has one; NULL: none has */
	struct hash by_declaration; /* classes of all parts */
	struct arena arena;
};

static const struct reader_format merge_format;

/*
 * Finds the class for a part's event. Two traces' events share a class if readers see no
 * difference.
 */
static COLD struct event_class *find_class(struct merge *m, const struct event_class *of_part)
{
	const struct event *e = of_part->event;
	struct out key;

	out_init(&key, OUT_TO_MEMORY);
	out_str(&key, of_part->name);
	if (e) {
		out_printf(&key, "\n%s", e->format.source ? e->format.source : "");
	}
	for (size_t i = 0; e && i < e->arg_count; i++) {
		out_printf(&key, "\n%s %s %u", e->args[i].type.text, e->args[i].name,
			e->args[i].type.size64);
	}
	out_printf(&key, "\n%s", e && e->meaning ? e->meaning : "");
	out_char(&key, '\0');
	struct event_class *class = hash_get(&m->by_declaration, key.data);

	if (!class) {
		class = classes_add(&m->base.classes, of_part->name);
		class->id = of_part->id;
		class->event = e;
		class->payload_size = of_part->payload_size;
		hash_add(&m->by_declaration, arena_strdup(&m->arena, key.data), class);
	}
	if (class->payload_size != of_part->payload_size) {
		class->payload_size = PAYLOAD_VARIES;
	}
	out_fini(&key);
	return class;
}

static struct event_class *map_class(
	struct merge *m, struct part *p, const struct event_class *class)
{
	vec_reach(&p->classes, class->index);
	struct event_class **mapped = &p->classes.items[class->index];

	if (!*mapped) {
		*mapped = find_class(m, class);
	}
	return *mapped;
}

/* Reads a part's next record. READ_END means that the part is ready, or has ended. */
static enum read_result move(struct merge *m, struct part *p)
{
	p->reader->is_stopped = reader_is_stopped(&m->base);
	enum read_result result = reader_next(p->reader, &p->record);

	switch (result) {
	case READ_RECORD:
		p->record.ns += p->shift;
		if (p->record.kind == RECORD_GAP && p->record.from_ns) {
			p->record.from_ns += p->shift;
		}
		p->state = PART_READY;
		return READ_END;
	case READ_END:
		p->state = PART_ENDED;
		return READ_END;
	case READ_NOTHING:
		p->state = PART_WAITING;
		return READ_END;
	case READ_DAMAGED:
		p->state = PART_ENDED; /* the other traces continue */
		break;
	case READ_PROBLEM:
		break;
	}
	read_error_set(&m->base.error, "%.150s: %s", p->path, p->reader->error.text);
	m->base.error.is_mismatch = p->reader->error.is_mismatch;
	return READ_PROBLEM;
}

/* Chooses the part with the next record, or NULL, and the limit. Times before boot are negative. */
static void choose(struct merge *m)
{
	m->current = NULL;
	m->limit = INT64_MAX;
	for (struct part *p = m->parts; p < m->parts + m->count; p++) {
		if (p->state != PART_READY) {
			continue;
		}
		int64_t ns = (int64_t)p->record.ns;

		if (!m->current) {
			m->current = p;
		} else if (ns < (int64_t)m->current->record.ns) {
			/*
			 * At equal times the earlier part is first, so this one must stay before
			 * it.
			 */
			m->limit = (int64_t)m->current->record.ns - 1;
			m->current = p;
		} else if (ns < m->limit) {
			m->limit = ns;
		}
	}
}

/* Lowers the limit to the horizons of waiting parts, which may get records after them. */
static bool limit_to_horizons(struct merge *m)
{
	bool waits = false;

	for (struct part *p = m->parts; p < m->parts + m->count; p++) {
		int64_t horizon = p->reader->horizon + (int64_t)p->shift;

		if (p->state == PART_WAITING) {
			m->limit = horizon < m->limit ? horizon : m->limit;
			waits = true;
		}
	}
	if (m->current && (int64_t)m->current->record.ns > m->limit) {
		m->current = NULL;
	}
	return waits;
}

/* Makes the part with the next record the current one. */
static COLD enum read_result turn(struct merge *m)
{
	for (struct part *p = m->parts; p < m->parts + m->count; p++) {
		/* Waiting parts look for more once the caller has waited. */
		while (p->state == PART_BEHIND || (p->state == PART_WAITING && m->has_waited)) {
			enum read_result result = move(m, p);

			if (result == READ_PROBLEM) {
				return result;
			}
			if (p->state == PART_WAITING) {
				break;
			}
		}
	}
	choose(m);
	bool waits = limit_to_horizons(m);

	m->has_waited = waits && !m->current;
	if (m->current) {
		return READ_RECORD;
	}
	return waits ? READ_NOTHING : READ_END;
}

static void hand_out(struct merge *m, struct part *p, struct record *rec)
{
	*rec = p->record;
	rec->trace += p->first_trace;
	if (rec->kind == RECORD_EVENT) {
		bool is_met = rec->class->index < p->classes.count;
		struct event_class *class = is_met ? p->classes.items[rec->class->index] : NULL;

		rec->class = LIKELY(class) ? class : map_class(m, p, p->record.class);
	}
	p->state = PART_BEHIND;
}

static enum read_result merge_next(struct reader *base, struct record *rec)
{
	struct merge *m = (struct merge *)base;
	struct part *p = m->current;

	if (LIKELY(p) && p->state == PART_BEHIND && move(m, p) == READ_PROBLEM) {
		return READ_PROBLEM;
	}
	if (UNLIKELY(!p || p->state != PART_READY || (int64_t)p->record.ns > m->limit)) {
		enum read_result result = turn(m);

		if (result != READ_RECORD) {
			return result;
		}
		p = m->current;
	}
	hand_out(m, p, rec);
	return READ_RECORD;
}

/* Decodes the current record only, which its part still holds. */
static const struct value *merge_decode(struct reader *base, const struct record *rec)
{
	struct merge *m = (struct merge *)base;

	(void)rec;
	return reader_values(m->current->reader, &m->current->record);
}

/* Adds a part's traces to those of the reader. */
static void add_traces(struct merge *m, struct part *p)
{
	const struct reader *r = p->reader;

	p->first_trace = (uint32_t)m->base.trace_count;
	for (size_t i = 0; i < r->trace_count; i++) {
		struct trace_info *t = &m->traces[m->base.trace_count++];
		const struct trace_info *first = &m->traces[0];

		*t = r->traces[i];
		t->path = p->path;
		t->reader = r;
		m->hostname = m->hostname ? m->hostname : *t->hostname ? t->hostname : NULL;
		m->base.has_hosts |= *t->hostname && strcmp(t->hostname, m->hostname) != 0;
		bool is_same_boot = *t->boot_id && strcmp(t->boot_id, first->boot_id) == 0;

		if (t->has_realtime && first->has_realtime && !is_same_boot) {
			p->shift = t->realtime - first->realtime;
			t->realtime = first->realtime;
		}
	}
}

static void add_part(struct merge *m, struct part *p)
{
	struct reader *base = &m->base;
	enum value_form form = p->reader->form;

	if (form == VALUES_LAID_OUT) {
		form = VALUES_TYPED; /* the merged classes may be laid out in several ways */
	}
	add_traces(m, p);
	base->has_pid |= p->reader->has_pid;
	if (p == m->parts || form < base->form) {
		base->form = form;
	}
	if (p == m->parts) {
		base->swap = p->reader->swap;
		base->version = p->reader->version;
	}
	for (size_t i = 0; i < p->reader->classes.all.count; i++) {
		map_class(m, p, p->reader->classes.all.items[i]);
	}
}

static void merge_close(struct reader *base)
{
	struct merge *m = (struct merge *)base;

	for (size_t i = 0; i < m->count; i++) {
		vec_fini(&m->parts[i].classes);
		reader_close(m->parts[i].reader);
	}
	hash_fini(&m->by_declaration);
	arena_fini(&m->arena);
	reader_fini(base);
	vec_fini(&m->members.paths);
	free(m->traces);
	free(m->parts);
	free(m);
}

static void merge_close_files(struct reader *base)
{
	struct merge *m = (struct merge *)base;

	for (size_t i = 0; i < m->count; i++) {
		reader_close_files(m->parts[i].reader);
	}
}

/* Returns a time of the merged traces as time of a part. */
static int64_t part_time(const struct part *p, int64_t ns)
{
	bool is_open = ns == INT64_MIN || ns == INT64_MAX;
	int64_t moved = ns;

	return is_open || __builtin_sub_overflow(ns, (int64_t)p->shift, &moved) ? ns : moved;
}

static void merge_limit(struct reader *base, const struct reader_needs *needs)
{
	struct merge *m = (struct merge *)base;

	for (struct part *p = m->parts; p < m->parts + m->count; p++) {
		struct reader_needs own = *needs;

		own.any_order = false;
		own.from_ns = part_time(p, needs->from_ns);
		own.to_ns = part_time(p, needs->to_ns);
		reader_limit(p->reader, &own);
	}
}

static void merge_section(struct reader *base, int64_t from_ns, int64_t until_ns)
{
	struct merge *m = (struct merge *)base;

	for (struct part *p = m->parts; p < m->parts + m->count; p++) {
		reader_section(p->reader, part_time(p, from_ns), part_time(p, until_ns));
		p->state = PART_BEHIND;
	}
	m->current = NULL;
}

static bool merge_loads(const struct reader *base, struct reader_loads *loads)
{
	const struct merge *m = (const struct merge *)base;

	for (const struct part *p = m->parts; p < m->parts + m->count; p++) {
		size_t before = loads->all.count;

		if (!reader_loads(p->reader, loads)) {
			return false;
		}
		for (size_t i = before; i < loads->all.count; i++) {
			loads->all.items[i].ns += (int64_t)p->shift;
			loads->all.items[i].trace += p->first_trace;
		}
	}
	return true;
}

static bool merge_outline(const struct reader *base, struct reader_outline *o)
{
	const struct merge *m = (const struct merge *)base;

	for (const struct part *p = m->parts; p < m->parts + m->count; p++) {
		struct reader_outline own = { 0 };
		bool is_known = reader_outline(p->reader, &own);

		vec_foreach (struct outline_thread *, t, &own.threads) {
			t->trace += p->first_trace;
			t->first_ns += (int64_t)p->shift;
			t->last_ns += (int64_t)p->shift;
			vec_push(&o->threads, *t);
		}
		vec_fini(&own.threads);
		if (!is_known) {
			return false;
		}
	}
	return true;
}

static const struct reader_format merge_format = {
	.name = "several traces",
	.close_files = merge_close_files,
	.close = merge_close,
	.outline = merge_outline,
	.limit = merge_limit,
	.loads = merge_loads,
	.section = merge_section,
};

/* Opens all parts. False: one cannot be opened and is not skipped, or none can. */
static bool open_parts(
	struct merge *m, const struct reader_options *options, struct read_error *error)
{
	size_t count = m->members.paths.count;

	m->parts = xcalloc(count, sizeof(*m->parts));
	m->traces = xcalloc(count, sizeof(*m->traces));
	m->base.traces = m->traces;
	m->base.trace_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct part *p = &m->parts[m->count];
		struct read_error why;

		p->path = m->members.paths.items[i];
		p->reader = reader_open(p->path, options, &why);
		if (p->reader) {
			add_part(m, p);
			m->count++;
		} else if (options->on_unreadable) {
			options->on_unreadable(options->data, p->path, &why);
		} else {
			read_error_set(error, "%.150s: %s", p->path, why.text);
			return false;
		}
	}
	return m->count > 0;
}

struct reader *merge_open(const char *const *paths, size_t count,
	const struct reader_options *options, struct read_error *error)
{
	struct merge *m = xcalloc(1, sizeof(*m));

	reader_init(&m->base, &merge_format, options);
	arena_init(&m->arena);
	hash_init(&m->by_declaration);
	m->base.next = merge_next;
	m->base.decode = merge_decode;
	read_error_set(error, "%s", "");
	/* A folder is replaced by the traces in it. */
	for (size_t i = 0; i < count; i++) {
		if (folder_list(&m->members, &m->arena, paths[i]) == 0) {
			vec_push(&m->members.paths, paths[i]);
		}
	}
	if (count == 1 && m->members.paths.count == 1) {
		struct reader *only = reader_open(m->members.paths.items[0], options, error);

		merge_close(&m->base);
		return only;
	}
	if (!open_parts(m, options, error)) {
		merge_close(&m->base);
		return NULL;
	}
	return &m->base;
}
