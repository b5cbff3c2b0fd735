/* SPDX-License-Identifier: MIT */
/*
 * Putting an option into force, in two phases: check everything that can be
 * checked, then apply. Callers take out of the config what they want to do at
 * another time (the environment's and QEMU's file= wait for the program).
 */
#ifndef RT_CONTROL_CONFIG_H
#define RT_CONTROL_CONFIG_H

#include "rt/control/option.h"

/*
 * The sink that `file=` names now. NULL, with the reason, when no loaded object
 * was built with a backend that has a file.
 */
const struct waymark_sink *waymark_config_sink(const char *file, struct waymark_error *error);

/*
 * The first phase alone, which changes nothing: for callers that take `file` out
 * and apply it later. Returns 0, or -1 with the reason.
 */
int waymark_config_check(const struct waymark_config *c, struct waymark_error *error);

/*
 * Drops what a later key of the option overrides, by the backends that are linked now: `file`, or
 * the key it stands for. For callers that take `file` out.
 */
void waymark_config_settle(struct waymark_config *c);

/* Checks and applies; empties the rules. Returns 0, or -1 with the reason. */
int waymark_config_apply(
	struct waymark_config *c, struct waymark_match *match, struct waymark_error *error);

/* The backends that options speak of, as masks. */
struct waymark_wants {
	unsigned int limits; /* by backend= */
	unsigned int outputs; /* by simple.file= and its like */
	unsigned int keys; /* that one backend alone looks at, a bit of each */
};

/* Adds what the option speaks of. */
void waymark_config_want(struct waymark_wants *wants, const struct waymark_config *c);

/*
 * Warns of keys without effect so far, once for each backend that no event was built with, only
 * with `built`; `option` is handed on.
 */
void waymark_config_report_vain(const struct waymark_wants *wants, unsigned int built,
	void (*warn)(const struct waymark_error *warning, const void *option), const void *option);

#endif
