/* SPDX-License-Identifier: MIT */
/* Any bytes as a trace-events file, see front_end.h. */
#include "front_end.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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

static void check_event(struct model *m, const struct event *e, bool is_strict)
{
	size_t args = 0;

	(void)m;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_file("trace-events", data, size, check_event);
	return 0;
}
