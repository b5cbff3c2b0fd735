/* SPDX-License-Identifier: MIT */
/*
 * Readers of values for the functions of options.def. Each returns 0, or -1 with the reason,
 * unless it says otherwise. Any thread may call them.
 */
#ifndef RT_CONTROL_VALUE_H
#define RT_CONTROL_VALUE_H

#include "rt/control/option.h"

/* Takes one of some words; `*to` gets that of the list. */
#define WORDS(...) ((const char *const[]){ __VA_ARGS__, NULL })
int waymark_take_word(const char **to, const char *key, const char *value, const char *const *words,
	struct waymark_error *error);

/* Takes a size above 0 in bytes, with K, M or G behind it. */
int waymark_take_size(
	uint64_t *to, const char *key, const char *value, struct waymark_error *error);

/* Takes a number from 1 to `max`. */
int waymark_take_count(uint64_t *to, const char *key, uint64_t max, const char *value,
	struct waymark_error *error);

/*
 * The number of `USR2`, `SIGUSR2` or `12`. 0 where there is no such signal, or
 * none that a handler may answer by going on: faults, SIGABRT, SIGKILL, SIGSTOP.
 */
int waymark_signal_named(const char *name);

#endif
