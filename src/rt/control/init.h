/* SPDX-License-Identifier: MIT */
/* What options say about waymark_init(), which comes later. */
#ifndef RT_CONTROL_INIT_H
#define RT_CONTROL_INIT_H

#include <stdint.h>

#include <waymark/control.h>

/* jail=: how many processes are to record in the jail that waymark_init() makes. */
void waymark_init_want_jail(uint32_t count);

#endif
