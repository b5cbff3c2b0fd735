/* SPDX-License-Identifier: MIT */
/* What the rest of the recorder needs of settings.c. */
#ifndef RT_RECORD_SETTINGS_H
#define RT_RECORD_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

struct process;

/* Bytes that bound a buffer, and whether somebody said so. */
uint64_t waymark_recorder_buffer(void);
bool waymark_recorder_buffer_is_given(void);

/* What a cursor's `cycles` is to be. */
uint32_t waymark_recorder_cycles(void);

/* Counts what the files have taken, so that a waiter sees whether it gets on. */
uint64_t waymark_recorder_progress(const struct process *p);

/* Events lost before there was memory for the process block. Any thread, any signal handler. */
void waymark_recorder_lose_early(void);
uint64_t waymark_recorder_lost_early(void);

#endif
