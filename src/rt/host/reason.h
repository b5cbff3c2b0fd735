/* SPDX-License-Identifier: MIT */
/*
 * What an errno means, in English whatever the locale: strerror() and
 * strerror_r() look translations up, which locks and allocates.
 */
#ifndef RT_HOST_REASON_H
#define RT_HOST_REASON_H

#define REASON_BYTES 24u

/* `spare` is for numbers that have no text. Any thread, any signal handler. */
const char *waymark_reason(int error, char spare[REASON_BYTES]);

#endif
