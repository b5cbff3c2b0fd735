/* SPDX-License-Identifier: MIT */
/* The beginnings of log lines: who and when. One of them is chosen for the process. */
#ifndef RT_SINK_LOG_PREFIX_H
#define RT_SINK_LOG_PREFIX_H

#include <sys/types.h>
#include <time.h>

#include "rt/host/line.h"

/* Taken once a line, before anything is printed. */
struct log_stamp {
	pid_t tid;
	struct timespec time; /* CLOCK_REALTIME */
};

/* The name as the table has it, NULL when there is no such prefix. */
const char *waymark_log_prefix_name(const char *name);

/* Chooses a name that the above returned. Lines begun before keep the old one. */
void waymark_log_prefix_choose(const char *name);

/* Prints the chosen prefix. Any thread, any signal handler. */
void waymark_log_prefix_print(struct line *l, const struct log_stamp *stamp);

#endif
