/* SPDX-License-Identifier: MIT */
/* From the first bytes of a simpletrace file to a reader of its version and byte order. */
#include "read/simple/simple.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/simple.h"
#include "read/bytes.h"

static bool simple_detect(struct input *in)
{
	if (!input_has(in, offsetof(struct simple_header, version))) {
		return false;
	}
	uint64_t magic = load64(in->pos + offsetof(struct simple_header, magic), false);

	return load64(in->pos, false) == SIMPLE_HEADER_ID &&
	       (magic == SIMPLE_MAGIC || __builtin_bswap64(magic) == SIMPLE_MAGIC);
}

/* Up to version 3, and without a header, a number is a position in the declarations. */
static void bind_positions(struct simple_reader *r)
{
	const struct model *declarations = r->base.declarations;

	for (size_t i = 0; declarations && i < declarations->events.count; i++) {
		const char *name = declarations->events.items[i]->name;

		simple_add_class(r, i, name, strlen(name));
	}
}

/* Reads the header: byte order, version and what follows from them. */
static bool read_header(struct simple_reader *r, struct read_error *error)
{
	struct input *in = &r->input;

	if (!input_has(in, sizeof(struct simple_header))) {
		read_error_set(error, "truncated: the trace ends inside its header, at byte %zu",
			input_left(in));
		return false;
	}
	uint64_t magic = load64(in->pos + offsetof(struct simple_header, magic), false);

	r->base.swap = magic != SIMPLE_MAGIC;
	uint64_t version = load64(in->pos + offsetof(struct simple_header, version), r->base.swap);

	const struct simple_version *v = simple_version_get(version);

	if (!v) {
		read_error_set(error,
			"version %" PRIu64 " of the simpletrace format is not known here", version);
		return false;
	}
	r->base.version = (unsigned int)version;
	if (!input_has(in, v->header_size)) {
		read_error_set(error, "truncated: the trace ends inside its header, at byte %zu",
			input_left(in));
		return false;
	}
	in->pos += v->header_size;
	return true;
}

/*
 * Without a header, only the first record tells whether records have type words
 * (as QEMU's reader expects them) or not (as SystemTap scripts print them).
 */
static void guess_version(struct simple_reader *r)
{
	struct input *in = &r->input;
	const struct model *declarations = r->base.declarations;
	uint64_t known = declarations ? declarations->events.count : 0;

	r->base.version = 3;
	if (input_has(in, 2 * sizeof(uint64_t))) {
		uint64_t type = load64(in->pos, false);
		uint64_t id = load64(in->pos + sizeof(uint64_t), false);
		bool typed = type == SIMPLE_EVENT && (id < known || id == SIMPLE_DROPPED_ID);

		r->base.version = typed || type == SIMPLE_MAPPING ? 4 : 3;
	}
}

static struct reader *simple_open(
	struct input *in, const struct reader_options *options, struct read_error *error)
{
	struct simple_reader *r = xcalloc(1, sizeof(*r));

	reader_init(&r->base, &reader_simple, options);
	r->input = *in;
	if (options->no_header) {
		guess_version(r);
	} else if (!read_header(r, error)) {
		*in = r->input;
		reader_fini(&r->base);
		free(r);
		return NULL;
	}
	const struct simple_version *version = simple_version_get(r->base.version);

	r->base.next = r->base.swap ? version->next_swapped : version->next;
	r->base.decode = version->decode;
	r->base.has_pid = version->has_pid;
	r->base.form = r->base.swap && version->form == VALUES_WORDS ? VALUES_TYPED : version->form;
	if (r->base.version < 4 || options->no_header) {
		bind_positions(r);
	}
	return &r->base;
}

static void simple_close(struct reader *base)
{
	struct simple_reader *r = (struct simple_reader *)base;

	input_fini(&r->input);
	reader_fini(base);
	free(r);
}

static double simple_progress(const struct reader *base)
{
	return input_progress(&((const struct simple_reader *)base)->input);
}

const struct reader_format reader_simple = {
	.name = "simpletrace",
	.detect = simple_detect,
	.open = simple_open,
	.close = simple_close,
	.progress = simple_progress,
};
