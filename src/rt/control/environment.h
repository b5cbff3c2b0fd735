/* SPDX-License-Identifier: MIT */
/*
 * WAYMARK_TRACE: options that take effect before main(), without the program's help;
 * WAYMARK_LOG_LEVEL: the log's threshold. Ignored in set-uid programs. An invalid one is reported
 * and otherwise ignored.
 */
#ifndef RT_CONTROL_ENVIRONMENT_H
#define RT_CONTROL_ENVIRONMENT_H

#include <stdbool.h>

/* Reads them, at the first call only: before the first object is registered. */
void waymark_environment_load(void);

/*
 * An object was registered. While the program starts, `file=` follows to the
 * best backend that is there by now; the main program's own object, the last of
 * them, ends that. Called by constructors, one at a time.
 */
void waymark_environment_follow(bool is_program);

#endif
