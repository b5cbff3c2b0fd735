/* SPDX-License-Identifier: MIT */
/* For tests of the message view: declares an event, sets its values, renders its message. */
#ifndef TESTS_RENDERED_H
#define TESTS_RENDERED_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
#include <sys/types.h>

#include "trace_bytes.h"
#include "view/message/message.h"

/* Declares one event and renders it into a buffer of exactly the needed size. */
static inline char *render(const char *declaration, const struct value *values)
{
	struct model model;
	struct message message;
	struct record rec = { 0 };
	struct event_class class = { .name = "e" };

	model_init(&model);
	if (!declare(&model, declaration) || model.events.count != 1) {
		fail_msg("not understood: %s", declaration);
	}
	class.event = model.events.items[0];
	message_compile(&message, &model.arena, &class, "", VALUES_ANY);
	size_t room = message_room(&message, &rec, values);
	char *text = malloc(room + 1);
	char *end = message_render(text, &message, &rec, values);

	assert_true((size_t)(end - text) <= room);
	*end = '\0';
	model_fini(&model);
	return text;
}

static inline void assert_renders(
	const char *declaration, const struct value *values, const char *wanted)
{
	char *got = render(declaration, values);

	if (strcmp(got, wanted) != 0) {
		fail_msg("%s\nwanted '%s'\ngot    '%s'", declaration, wanted, got);
	}
	free(got);
}

static inline struct value number(uint64_t v)
{
	return (struct value){ .number = v, .kind = VALUE_NUMBER };
}

static inline struct value string(const char *s)
{
	return (struct value){
		.text = s, .length = s ? (uint32_t)strlen(s) : 0, .kind = VALUE_STRING
	};
}

#endif
