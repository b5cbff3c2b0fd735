/* SPDX-License-Identifier: MIT */
/*
 * Shared by the fuzz targets of front ends: any bytes as a declaration file, read strictly and
 * leniently. The target also checks the model's invariants, which sanitizers cannot see and
 * which emitters and readers rely on without a check.
 */
#ifndef FUZZ_FRONT_END_H
#define FUZZ_FRONT_END_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decl/decl.h"

/* Checks the invariants of one event of the front end. */
typedef void check_fn(struct model *m, const struct event *e, bool is_strict);

static void require(bool promise)
{
	if (!promise) {
		abort();
	}
}

static void read_once(
	const struct source *source, const struct decl_options *options, check_fn *check)
{
	struct model model;
	struct diag diag;

	model_init(&model);
	diag_init(&diag);
	bool ok = decl_read(&model, &diag, source, options);

	require(ok == (diag.errors == 0));
	ok = decl_finish(&model, &diag) && ok;
	for (size_t i = 0; i < model.events.count && (ok || options->lenient); i++) {
		check(&model, model.events.items[i], !options->lenient);
		require(model_find(&model, model.events.items[i]->name) != NULL);
	}
	model_fini(&model);
	diag_fini(&diag);
}

/* Reads the bytes as a file of that name. */
static void read_file(const char *name, const uint8_t *data, size_t size, check_fn *check)
{
	/* A redzone follows the copy, so that a read past the end is detected. */
	char *text = malloc(size ? size : 1);

	if (!text) {
		return;
	}
	memcpy(text, data, size);
	const struct source source = { name, text, size };

	read_once(&source, &(struct decl_options){ .max_args = EVENT_ARGS_LIMIT }, check);
	read_once(&source, &(struct decl_options){ .lenient = true }, check);
	free(text);
}

#endif
