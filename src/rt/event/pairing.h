/* SPDX-License-Identifier: MIT */
/*
 * Pairs of calls: `elapsed(io_submit by io)` is the time since the last call of io_submit with the
 * same value of the field `io`. The calls that wait for their partner are in a table, which also
 * decides between several threads (pair_table.h). If it is full, for example of calls that were
 * never completed, old ones go; their partners have no elapsed() then.
 */
#ifndef RT_EVENT_PAIRING_H
#define RT_EVENT_PAIRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <waymark/control.h>

#include "rt/event/pair_table.h"

/* The most pairings of a process: each takes up to 4 MiB. */
#define PAIRINGS_MAX 32u

struct pairing {
	unsigned int users; /* rules, decisions and watches; atomic */
	bool is_held; /* by terms that a client opened; under the control lock */
	char *begin; /* name of the first event */
	char *field; /* of both */
	struct pair_table *table; /* by a number that stands for the field's value */
};

/* True if the name in an expression is an elapsed(). */
bool waymark_pairing_is(const char *name, size_t length);

/*
 * Makes the pairing of `elapsed(EVENT by FIELD)`, with one user. Returns NULL, with the reason, if
 * it is wrong.
 */
struct pairing *waymark_pairing_new(const char *name, size_t length, struct waymark_error *error);

/* Adds and removes a user; the last one frees it. NULL does nothing. */
struct pairing *waymark_pairing_use(struct pairing *p);
void waymark_pairing_release(struct pairing *p);

#endif
