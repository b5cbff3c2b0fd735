/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a declaration file, read strictly and leniently. Beyond what the
 * sanitizers see, the model must keep its promises: emitters and readers rely
 * on them without a check.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decl/decl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
	if (!promise) {
		abort();
	}
}

static void check_conversion(const struct event *e, const struct conversion *c, bool is_strict)
{
	const struct type *t = &e->args[c->arg].type;

	require(c->arg >= 0 && (size_t)c->arg < e->arg_count);
	require(c->width_arg < c->arg && c->precision_arg < c->arg);
	require(strchr("diuxXocsp", c->letter) && strspn(c->flags, "-+ #0") == strlen(c->flags));
	require(c->letter != 's' || t->class == TYPE_STRING);
	require(t->class != TYPE_POINTER || c->letter == 'p');
	require(t->class != TYPE_TCG || !is_strict);
}

static void check_event(const struct event *e, bool is_strict)
{
	size_t args = 0;

	require(e->name && e->upper && e->line > 0 && e->arg_count <= EVENT_ARGS_LIMIT);
	for (size_t i = 0; i < e->arg_count; i++) {
		const struct arg *arg = &e->args[i];

		require(arg->name && arg->c_name && arg->type.text && arg->type.length);
		require(strncmp(arg->c_name, "waymark_", 8) != 0);
		for (size_t j = 0; j < i && is_strict; j++) {
			require(strcmp(arg->c_name, e->args[j].c_name) != 0);
		}
	}
	for (size_t i = 0; i < e->format.count; i++) {
		const struct segment *s = &e->format.segments[i];

		require(!memchr(s->text, '\0', s->len));
		require(s->has_conversion || (s->len > 0 && i + 1 == e->format.count));
		if (s->has_conversion) {
			check_conversion(e, &s->conversion, is_strict);
			args += 1 + (s->conversion.width_arg >= 0) +
				(s->conversion.precision_arg >= 0);
		}
	}
	require(e->format.count == 0 || (args == e->arg_count && args == e->format.args));
}

static void read_once(const struct source *source, const struct decl_options *options)
{
	struct model model;
	struct diag diag;

	model_init(&model);
	diag_init(&diag);
	bool ok = decl_read(&model, &diag, source, options);

	require(ok == (diag.errors == 0));
	ok = decl_finish(&model, &diag) && ok;
	for (size_t i = 0; i < model.events.count && (ok || options->lenient); i++) {
		check_event(model.events.items[i], !options->lenient);
		require(model_find(&model, model.events.items[i]->name) != NULL);
	}
	model_fini(&model);
	diag_fini(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Behind the copy lies a redzone, so that a read past the end is seen. */
	char *text = malloc(size ? size : 1);

	if (!text) {
		return 0;
	}
	memcpy(text, data, size);
	const struct source source = { "trace-events", text, size };

	read_once(&source, &(struct decl_options){ .max_args = EVENT_ARGS_LIMIT });
	read_once(&source, &(struct decl_options){ .lenient = true });
	free(text);
	return 0;
}
