/* SPDX-License-Identifier: MIT */
/* Pairs of calls: see pairing.h. */
#include <stdlib.h>
#include <string.h>

#include "rt/event/pairing.h"
#include "rt/host/error.h"
#include "rt/record/process.h"

#define ELAPSED "elapsed("

bool waymark_pairing_is(const char *name, size_t length)
{
	return length > strlen(ELAPSED) && memcmp(name, ELAPSED, strlen(ELAPSED)) == 0;
}

/* Returns a copy of the text without the blanks around it. */
static char *copy_trimmed(const char *begin, const char *end)
{
	while (begin < end && *begin == ' ') {
		begin++;
	}
	while (end > begin && end[-1] == ' ') {
		end--;
	}
	return strndup(begin, (size_t)(end - begin));
}

struct pairing *waymark_pairing_new(const char *name, size_t length, struct waymark_error *error)
{
	const char *begin = name + strlen(ELAPSED);
	const char *end = name + length - 1; /* the `)` */
	const char *by = memmem(begin, (size_t)(end - begin), " by ", strlen(" by "));

	if (!by || *end != ')') {
		waymark_fail(
			error, "'%.*s' is wrong; write elapsed(EVENT by FIELD)", (int)length, name);
		return NULL;
	}
	struct pairing *p = calloc(1, sizeof(*p));

	if (p) {
		p->users = 1;
		p->begin = copy_trimmed(begin, by);
		p->field = copy_trimmed(by + strlen(" by "), end);
		p->table = waymark_wiped_map(sizeof(*p->table));
	}
	if (!p || !p->begin || !p->field || !p->table) {
		waymark_pairing_release(p);
		waymark_fail(error, "out of memory");
		return NULL;
	}
	return p;
}

struct pairing *waymark_pairing_use(struct pairing *p)
{
	if (p) {
		__atomic_fetch_add(&p->users, 1, __ATOMIC_RELAXED);
	}
	return p;
}

void waymark_pairing_release(struct pairing *p)
{
	if (p && __atomic_sub_fetch(&p->users, 1, __ATOMIC_ACQ_REL) == 0) {
		free(p->begin);
		free(p->field);
		if (p->table) {
			waymark_wiped_unmap(p->table, sizeof(*p->table));
		}
		free(p);
	}
}
