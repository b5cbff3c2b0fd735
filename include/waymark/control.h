/* SPDX-License-Identifier: MIT */
/*
 * waymark/control.h - what a traced program may ask of its own tracing.
 *
 * Nothing here prints, exits or aborts; errors come back as text. Unless a
 * function says otherwise, any thread may call it at any time after main()
 * began, and no signal handler may.
 */
#ifndef WAYMARK_CONTROL_H
#define WAYMARK_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The reason of a failure: one line without a newline, "" when there was none. */
struct waymark_error {
	char text[512];
};

#ifdef __cplusplus
}
#endif

#endif
