/* SPDX-License-Identifier: MIT */
/* What options say about waymark_init(), which comes later. */
#ifndef RT_CONTROL_INIT_H
#define RT_CONTROL_INIT_H

#include <stdint.h>

#include <waymark/control.h>

/* Whether jail= may be said now. 0, or -1 with the reason. Then how many processes record. */
int waymark_init_check_jail(struct waymark_error *error);
void waymark_init_want_jail(uint32_t count);

#endif
