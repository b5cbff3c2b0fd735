/* SPDX-License-Identifier: MIT */
/*
 * Objects made at run time, in any number and form. Calls register and unregister them, as
 * constructors and destructors of generated code would.
 */
#ifndef TESTS_CONTROL_MADE_H
#define TESTS_CONTROL_MADE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waymark/record.h>

#define MADE_TEXTS 128 /* bytes for the texts of an event */

struct made {
	struct waymark_object object;
	struct waymark_event **list;
	struct waymark_event *events;
	uint32_t *states;
};

/*
 * Returns an unregistered object with `count` events without arguments, named by `format` (one %d,
 * the index).
 */
static inline struct made *made_object(const char *format, int count, unsigned int backends)
{
	struct made *m = calloc(1, sizeof(*m));

	m->list = calloc((size_t)count + 1, sizeof(*m->list));
	m->events = calloc((size_t)count + 1, sizeof(*m->events));
	m->states = calloc((size_t)count + 1, sizeof(*m->states));
	for (int i = 0; i < count; i++) {
		char *name = calloc(1, MADE_TEXTS);

		snprintf(name, MADE_TEXTS / 2, format, i);
		m->list[i] = &m->events[i];
		m->events[i] = (struct waymark_event){
			.state = &m->states[i],
			.name = name,
			.file = "made",
			.line = (uint32_t)i + 1,
			.backends = (uint16_t)backends,
		};
	}
	m->object = (struct waymark_object){
		.abi = WAYMARK_ABI,
		.begin = m->list,
		.end = m->list + count,
	};
	return m;
}

/* Overwrites the object before freeing it, so that tests notice later reads. */
static inline void made_free(struct made *m)
{
	size_t count = (size_t)(m->object.end - m->object.begin);

	for (size_t i = 0; i < count; i++) {
		char *name = (char *)m->events[i].name;

		memset(name, '!', MADE_TEXTS);
		free(name);
	}
	memset(m->events, 0xee, count * sizeof(*m->events));
	free(m->events);
	free(m->states);
	free(m->list);
	free(m);
}

static inline struct made *made_registered(const char *format, int count, unsigned int backends)
{
	struct made *m = made_object(format, count, backends);

	waymark_register(&m->object);
	return m;
}

static inline void made_gone(struct made *m)
{
	waymark_unregister(&m->object);
	made_free(m);
}

#endif
