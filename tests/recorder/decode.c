/* SPDX-License-Identifier: MIT */
/*
 * Decodes simpletrace files: see decode.h. Written from the format's description, not from the
 * writer's code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

#define HEADER_BYTES 24
#define DROPPED (UINT64_MAX - 1)

static uint64_t u64_at(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t u32_at(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static const char *slurp(struct trace *t, const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f) {
		return "no such file";
	}
	fseek(f, 0, SEEK_END);
	t->size = (size_t)ftell(f);
	rewind(f);
	t->bytes = malloc(t->size + 1);
	if (fread(t->bytes, 1, t->size, f) != t->size) {
		fclose(f);
		return "cannot read";
	}
	fclose(f);
	return NULL;
}

/* Decodes a mapping after its type word; returns its length, 0 on an error. */
static size_t mapping(struct trace *t, const uint8_t *p, size_t left)
{
	if (left < 12 || left - 12 < u32_at(p + 8) || u64_at(p) >= 64 || u32_at(p + 8) > 63) {
		return 0;
	}
	memcpy(t->names[u64_at(p)], p + 12, u32_at(p + 8));
	t->names[u64_at(p)][u32_at(p + 8)] = '\0';
	return 12 + u32_at(p + 8);
}

/* Decodes an event after its type word; returns its length, 0 on an error. */
static size_t event(struct trace *t, const uint8_t *p, size_t left)
{
	if (left < 24 || u32_at(p + 16) < 24 || u32_at(p + 16) > left) {
		return 0;
	}
	struct decoded *d = &t->records[t->count++];

	*d = (struct decoded){ .ns = u64_at(p + 8),
		.pid = u32_at(p + 20),
		.args = p + 24,
		.length = u32_at(p + 16) - 24 };
	if (t->count > 1 && d->ns < d[-1].ns) {
		t->backwards++;
	}
	if (u64_at(p) == DROPPED) {
		d->missing = u64_at(p + 24);
		t->missing += d->missing;
		return d->length == 8 && d->missing ? 32 : 0;
	}
	if (u64_at(p) >= 64 || !t->names[u64_at(p)][0]) {
		return 0; /* an event before its name */
	}
	d->name = t->names[u64_at(p)];
	t->events++;
	return 24 + d->length;
}

const char *trace_read(struct trace *t, const char *path)
{
	memset(t, 0, sizeof(*t));
	const char *error = slurp(t, path);

	if (error) {
		return error;
	}
	if (t->size < HEADER_BYTES || u64_at(t->bytes) != UINT64_MAX ||
		u64_at(t->bytes + 8) != UINT64_C(0xf2b177cb0aa429b4) ||
		u64_at(t->bytes + 16) != 4) {
		return "no header";
	}
	t->records = calloc(t->size / 32 + 1, sizeof(*t->records));
	for (size_t at = HEADER_BYTES; at < t->size;) {
		if (t->size - at < 8 || u64_at(t->bytes + at) > 1) {
			return "no record where one must begin";
		}
		size_t n = (u64_at(t->bytes + at) == 1 ? event : mapping)(
			t, t->bytes + at + 8, t->size - at - 8);

		if (!n) {
			return "a bad record";
		}
		at += 8 + n;
	}
	return NULL;
}

void trace_free(struct trace *t)
{
	free(t->bytes);
	free(t->records);
}

uint64_t trace_arg(const struct decoded *d, unsigned int i)
{
	return u64_at(d->args + (size_t)8 * i);
}
