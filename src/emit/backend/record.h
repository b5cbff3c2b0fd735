/* SPDX-License-Identifier: MIT */
/* The functions that store events into the calling thread's open packet. */
#ifndef EMIT_BACKEND_RECORD_H
#define EMIT_BACKEND_RECORD_H

#include "emit/emit.h"

/* Writes the functions of the recording backends, one for each signature of an event. */
void emit_recorders(struct emit_context *c);

#endif
