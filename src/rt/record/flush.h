/* SPDX-License-Identifier: MIT */
/* A flush at the end of the process; waymark_recorder_flush() of recorder.h is the program's. */
#ifndef RT_RECORD_FLUSH_H
#define RT_RECORD_FLUSH_H

#include "rt/record/process.h"

/*
 * Has everything drained that was recorded before the call: by the writer, or by the caller
 * where there is none. Returns false when the writer made no progress for `patience_ns`, or had
 * not finished after `limit_ns`. Async-signal-safe.
 */
bool waymark_flush_wait(struct process *p, uint64_t patience_ns, uint64_t limit_ns);

#endif
