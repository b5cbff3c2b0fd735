/* SPDX-License-Identifier: MIT */
/* Functions that the two files of unlinked.sh's program share. */
#ifndef UNLINKED_H
#define UNLINKED_H

#include <waymark/debug.h>

#define THINGS 12

#ifdef __cplusplus
extern "C" {
#endif

/* Renders an object of one of THINGS kinds; `object` points to the kind's number. */
void put_thing(struct waymark_formatter *f, const void *object);

/* Fires a trace point with an object of each kind. */
void fire(void);

#ifdef __cplusplus
}
#endif

#endif
