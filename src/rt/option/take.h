/* SPDX-License-Identifier: MIT */
/*
 * What the functions of options.def share: each takes the value of a key into the
 * config, and returns 0, or -1 with the reason. For src/rt/option only.
 */
#ifndef RT_OPTION_TAKE_H
#define RT_OPTION_TAKE_H

#include "rt/option/option.h"

int waymark_take_regex(struct waymark_config *c, const char *value, struct waymark_error *error);
int waymark_take_events_list(
	struct waymark_config *c, const char *value, struct waymark_error *error);
int waymark_take_file_list(
	struct waymark_config *c, const char *value, struct waymark_error *error);

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
 * In StratoVirt's dialect: whether a part without `=` may be a pattern. Returns 0, or -1 with the
 * reason.
 */
int waymark_stratovirt_check_bare(const char *part, struct waymark_error *error);

/* No row of the option's dialect has that key: says what is there. Returns -1. */
int waymark_option_unknown(
	const char *key, enum waymark_dialect dialect, struct waymark_error *error);

#endif
