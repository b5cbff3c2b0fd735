/* SPDX-License-Identifier: MIT */
/* Any bytes as declarations in TOML, see front_end.h. */
#include "front_end.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_arg(const struct event *e, size_t i, bool is_strict)
{
	const struct arg *arg = &e->args[i];

	require(arg->name && arg->c_name && arg->type.text && arg->type.c_text && arg->type.length);
	require(arg->at.offset <= arg->at.source->len);
	require(arg->is_scope == (i < (e->end ? 1u : e->begin ? 2u : 0u)));
	require(!is_strict || arg->is_scope || arg->type.maker);
	for (size_t j = 0; j < i && is_strict; j++) {
		require(strcmp(arg->c_name, e->args[j].c_name) != 0);
		require(strcmp(arg->name, e->args[j].name) != 0);
	}
}

/* A format has one placeholder for each declared argument, in order, in either language. */
static void check_format(const struct event *e, const struct format *f)
{
	int first = e->end != NULL;
	int arg = first;

	for (size_t i = 0; i < f->count; i++) {
		const struct segment *s = &f->segments[i];

		require(!memchr(s->text, '\0', s->len));
		require(s->has_conversion || (s->len > 0 && i + 1 == f->count));
		if (s->has_conversion) {
			require(s->conversion.arg == arg++);
			require(s->conversion.at.offset < s->conversion.at.source->len);
			require(!s->conversion.spec == (f->style == FORMAT_PRINTF));
		}
	}
	require(f->count == 0 || (size_t)(arg - first) == f->args);
	require(f->count == 0 || (size_t)arg == e->arg_count);
}

static void check_event(struct model *m, const struct event *e, bool is_strict)
{
	require(e->name && *e->name && e->upper && e->line > 0);
	require(e->arg_count <= EVENT_ARGS_LIMIT);
	require(!(e->properties & EVENT_SCOPE) == !e->end);
	require(!(e->properties & EVENT_SCOPE_END) == !e->begin);
	require(!e->end || e->end->begin == e);
	for (size_t i = 0; i < e->arg_count; i++) {
		check_arg(e, i, is_strict);
	}
	check_format(e, &e->format);
	if (e->format.style == FORMAT_BRACES) {
		check_format(e, format_as_printf(&m->arena, e, 'x'));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_file("events.toml", data, size, check_event);
	return 0;
}
