/* SPDX-License-Identifier: MIT */
/* What options say about waymark_init(), which comes later. */
#ifndef RT_CONTROL_INIT_H
#define RT_CONTROL_INIT_H

#include <stdint.h>

#include <waymark/control.h>

/*
 * jail=: how many processes are to record in the jail that waymark_init() makes; 0: off, no
 * filter of system calls kills.
 */
void waymark_init_want_jail(uint32_t count);

/*
 * Call before events are switched on for `backends`. Warns, once, where waymark_init() has
 * made no jail: the first event that is recorded makes system calls that a filter may answer by
 * a kill.
 */
void waymark_init_warn(unsigned int backends);

/* The backends that waymark_init_warn() would warn of now. */
unsigned int waymark_init_warns_of(void);

#endif
