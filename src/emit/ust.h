/* SPDX-License-Identifier: MIT */
/* What the two formats of LTTng-UST's tracepoints share. */
#ifndef EMIT_UST_H
#define EMIT_UST_H

#include "emit/emit.h"

/* True when the events of this run have tracepoints: the backend ust is chosen. */
static inline bool ust_is_chosen(const struct emit_context *c)
{
	return c->backends & 1u << emit_find_backend("ust");
}

#endif
