/* SPDX-License-Identifier: MIT */
/* How a recorder of this process gets its buffer and its trace. */
#ifndef RT_RECORD_BEGIN_H
#define RT_RECORD_BEGIN_H

#include "rt/record/process.h"

/* The recorder's buffer, made now if there is none; NULL without memory. Any signal handler. */
struct buffer *waymark_buffer_get(struct process *p, struct recorder *r);

#endif
