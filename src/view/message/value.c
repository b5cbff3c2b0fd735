/* SPDX-License-Identifier: MIT */
/* A value as text of its own, outside of a message. */
#include "base/memory.h"
#include "base/utf8.h"
#include "format/debug.h"
#include "view/message/putters.h"
#include "view/message/steps.h"

size_t message_put_character(char *out, const struct value *v)
{
	bool is_surrogate = v->number >= 0xd800 && v->number < 0xe000;

	if (v->kind != VALUE_NUMBER || v->debug != DEBUG_CHAR || v->number > 0x10ffff ||
		is_surrogate) {
		return 0;
	}
	return utf8_encode(out, (uint32_t)v->number);
}

char *message_value_text(const struct arg *arg, const struct value *v)
{
	struct message_step step;

	if (v->kind != VALUE_NUMBER || !steps_name(&step, arg, false)) {
		return message_brace_text(&arg->type, v);
	}
	char *text = xcalloc(message_names_room(step.values) + 1, 1);

	*message_put_named(text, &step, v->number) = '\0';
	return text;
}
