/* SPDX-License-Identifier: MIT */
/* A value as text of its own, outside of a message. */
#include "base/memory.h"
#include "view/message/putters.h"
#include "view/message/steps.h"

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
