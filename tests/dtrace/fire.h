/* SPDX-License-Identifier: MIT */
/* The call sites of tests/dtrace, linked into the program or into a shared object. */
#ifndef TESTS_DTRACE_FIRE_H
#define TESTS_DTRACE_FIRE_H

/* Return the whole state words: a tracer attaches to one event after the other. */
unsigned int tick_state(void);
unsigned int done_state(void);

void fire_ticks(int count);
void fire_done(void);
void fire_values(void);
void fire_ten(void);

#endif
