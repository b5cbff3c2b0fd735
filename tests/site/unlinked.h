/* SPDX-License-Identifier: MIT */
/* Functions that the two files of unlinked.sh's program share. */
#ifndef UNLINKED_H
#define UNLINKED_H

#include <waymark/debug.h>

#define THINGS 12

#ifdef __cplusplus
extern "C" {
#endif

/* Builds a thing of one of THINGS kinds: of a pointer to its number. */
void put_thing(struct waymark_formatter *f, const void *object);

/* Fires a trace point with each of them. */
void fire(void);

#ifdef __cplusplus
}
#endif

#endif
