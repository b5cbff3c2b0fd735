/* SPDX-License-Identifier: MIT */
/*
 * A profile for pprof: the stacks of `waymark flamegraph`, each with the number of scopes that
 * ended there and their own time. Memory is bounded by the number of different stacks. Built
 * without zlib, the profile is not compressed, which pprof reads as well.
 */
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "analyse/stacks.h"
#include "base/error.h"
#include "format/pprof.h"
#include "format/protobuf.h"
#include "view/export/export.h"
#include "view/flamegraph/flamegraph.h"
#include "view/message/message.h"

/* The first texts of the table. */
enum { TEXT_NONE, TEXT_SCOPES, TEXT_COUNT, TEXT_TIME, TEXT_NANOSECONDS, TEXT_FIRST_NAME };

struct pprof {
	struct export *export;
	struct stacks stacks;
	struct out profile;
};

/* ---- Messages ---- */

static void put_text(struct out *out, const char *text)
{
	size_t length = strlen(text);
	char *begin = out_reserve(out, ESCAPE_MAX * length + 2 * PROTOBUF_FIELD_MAX);
	char *part = protobuf_open(begin, PROFILE_TEXT);
	char *end = protobuf_close(part, message_escape(part, text, length));

	out_advance(out, (size_t)(end - begin));
}

static void put_value_type(struct out *out, uint64_t name, uint64_t unit)
{
	char *begin = out_reserve(out, 4 * PROTOBUF_FIELD_MAX);
	char *part = protobuf_open(begin, PROFILE_VALUE_TYPE);
	char *end = protobuf_number(part, VALUE_TYPE_NAME, name);

	end = protobuf_close(part, protobuf_number(end, VALUE_TYPE_UNIT, unit));
	out_advance(out, (size_t)(end - begin));
}

/* Writes the function of a name, and its only location; both have the same number. */
static void put_function(struct out *out, uint64_t number, uint64_t text)
{
	char *begin = out_reserve(out, 12 * PROTOBUF_FIELD_MAX);
	char *part = protobuf_open(begin, PROFILE_FUNCTION);
	char *end = protobuf_number(part, FUNCTION_ID, number);

	end = protobuf_number(end, FUNCTION_NAME, text);
	end = protobuf_close(part, protobuf_number(end, FUNCTION_SYSTEM_NAME, text));
	part = end = protobuf_open(end, PROFILE_LOCATION);
	end = protobuf_number(end, LOCATION_ID, number);
	char *line = end = protobuf_open(end, LOCATION_LINE);

	end = protobuf_close(line, protobuf_number(end, LINE_FUNCTION, number));
	end = protobuf_close(part, end);
	out_advance(out, (size_t)(end - begin));
}

/* Writes a stack; the root, which stands for all processes, is no part of it. */
static void put_sample(struct out *out, const struct hash *numbers, const struct flame_frame *f)
{
	char *begin = out_reserve(out, (f->depth + 8) * PROTOBUF_FIELD_MAX);
	char *part = protobuf_open(begin, PROFILE_SAMPLE);
	char *end = part;

	for (const struct flame_frame *at = f; at->parent; at = at->parent) {
		end = protobuf_number(
			end, SAMPLE_LOCATIONS, (uintptr_t)hash_get(numbers, at->name));
	}
	end = protobuf_number(end, SAMPLE_VALUES, f->count);
	end = protobuf_close(part, protobuf_number(end, SAMPLE_VALUES, f->self_ns));
	out_advance(out, (size_t)(end - begin));
}

/* ---- The profile ---- */

static void put_number(struct out *out, unsigned int field, uint64_t number)
{
	char *begin = out_reserve(out, PROTOBUF_FIELD_MAX);

	out_advance(out, (size_t)(protobuf_number(begin, field, number) - begin));
}

static void put_names(struct out *out, struct hash *numbers, const struct flamegraph *g)
{
	static const char *const texts[] = {
		[TEXT_NONE] = "",
		[TEXT_SCOPES] = "scopes",
		[TEXT_COUNT] = "count",
		[TEXT_TIME] = "time",
		[TEXT_NANOSECONDS] = "nanoseconds",
	};

	for (size_t i = 0; i < TEXT_FIRST_NAME; i++) {
		put_text(out, texts[i]);
	}
	vec_foreach (struct flame_frame *const *, f, &g->frames) {
		uintptr_t number = numbers->count + 1;

		if ((*f)->parent && !hash_get(numbers, (*f)->name)) {
			hash_add(numbers, (*f)->name, (void *)number);
			put_text(out, (*f)->name);
			put_function(out, number, TEXT_FIRST_NAME + number - 1);
		}
	}
}

/* True if a scope ended there. */
static bool is_sample(const struct flame_frame *f)
{
	return f->parent && f->count > 0;
}

static bool has_samples(const struct flamegraph *g)
{
	vec_foreach (struct flame_frame *const *, f, &g->frames) {
		if (is_sample(*f)) {
			return true;
		}
	}
	return false;
}

static void put_profile(struct pprof *p, const struct flamegraph *g)
{
	const struct trace_info *info = &p->export->reader->traces[0];
	struct out *out = &p->profile;
	struct hash numbers;

	hash_init(&numbers);
	put_value_type(out, TEXT_SCOPES, TEXT_COUNT);
	put_value_type(out, TEXT_TIME, TEXT_NANOSECONDS);
	put_names(out, &numbers, g);
	vec_foreach (struct flame_frame *const *, f, &g->frames) {
		if (is_sample(*f)) {
			put_sample(out, &numbers, *f);
		}
	}
	if (info->has_realtime) {
		put_number(out, PROFILE_TIME, p->stacks.first_ns + info->realtime);
	}
	put_number(out, PROFILE_DURATION, p->stacks.last_ns - p->stacks.first_ns);
	put_number(out, PROFILE_DEFAULT_TYPE, TEXT_TIME);
	hash_fini(&numbers);
}

#ifdef HAVE_ZLIB

/* The window of deflate, with the header of gzip around. */
#define GZIP_WINDOW (15 + 16)

static bool put_compressed(struct out *out, const struct out *profile)
{
	z_stream z = { .next_in = (Bytef *)profile->data, .avail_in = (uInt)profile->len };

	if (profile->len > UINT32_MAX || deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
						 GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
		return false;
	}
	uLong room = deflateBound(&z, profile->len);

	z.next_out = (Bytef *)out_reserve(out, room);
	z.avail_out = (uInt)room;
	bool ok = deflate(&z, Z_FINISH) == Z_STREAM_END;

	out_advance(out, ok ? z.total_out : 0);
	deflateEnd(&z);
	return ok;
}

#else

static bool put_compressed(struct out *out, const struct out *profile)
{
	out_bytes(out, profile->data, profile->len);
	return true;
}

#endif

/* ---- The format ---- */

static void *begin(struct export *e)
{
	const struct stacks_options options = {
		.by = STACKS_BY_THREAD, .where = e->where, .reader = e->reader
	};
	struct pprof *p = xcalloc(1, sizeof(*p));

	p->export = e;
	stacks_init(&p->stacks, &e->reader->classes, &options);
	out_init(&p->profile, OUT_TO_MEMORY);
	return p;
}

static bool put(void *state, const struct record *records, size_t count)
{
	struct pprof *p = state;

	for (size_t i = 0; i < count; i++) {
		const struct record *rec = &records[i];
		bool is_wanted = pairs_wants(&p->stacks.pairs, rec);

		stacks_see(&p->stacks, rec->ns);
		if (is_wanted || rec->kind == RECORD_GAP) {
			stacks_add(&p->stacks, rec,
				is_wanted ? reader_values(p->export->reader, rec) : NULL);
		}
	}
	return true;
}

static bool end(void *state)
{
	struct pprof *p = state;
	struct flamegraph g;

	stacks_end(&p->stacks);
	flamegraph_init(&g);
	stacks_draw(&p->stacks, p->export->reader, &g);
	put_profile(p, &g);
	p->export->lacks_scopes = p->stacks.pairs.names.count == 0;
	p->export->lacks_ends = !p->export->lacks_scopes && !has_samples(&g);
	bool ok = put_compressed(p->export->out, &p->profile);

	if (!ok) {
		error_set(p->export->error, "the profile cannot be compressed");
	}
	flamegraph_fini(&g);
	stacks_fini(&p->stacks);
	out_fini(&p->profile);
	free(p);
	return ok;
}

const struct export_format export_pprof = {
	.name = "pprof",
	.help = "a profile of the scopes' own times, for pprof and speedscope",
	.is_binary = true,
	.has_spans = true,
	.begin = begin,
	.put = put,
	.end = end,
};
