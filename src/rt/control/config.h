/* SPDX-License-Identifier: MIT */
/*
 * Putting an option into force, in two phases: check everything that can be checked, then apply.
 * Callers remove from the config what they apply at another time (the file= of the environment and
 * of QEMU's calls waits for the program).
 */
#ifndef RT_CONTROL_CONFIG_H
#define RT_CONTROL_CONFIG_H

#include "rt/control/option.h"

/*
 * Returns the sink that `file=` names now; NULL, with the reason, if no loaded object was built
 * with a backend that has a file.
 */
const struct waymark_sink *waymark_config_sink(const char *file, struct waymark_error *error);

/*
 * Runs only the first phase, which changes nothing, for callers that remove `file` and apply it
 * later. Returns 0, or -1 with the reason.
 */
int waymark_config_check(const struct waymark_config *c, struct waymark_error *error);

/*
 * Drops what a later key of the option overrides, by the backends that are linked now: `file`, or
 * the key it stands for. For callers that remove `file`.
 */
void waymark_config_settle(struct waymark_config *c);

/* Checks and applies; empties the rules. Returns 0, or -1 with the reason. */
int waymark_config_apply(
	struct waymark_config *c, struct waymark_match *match, struct waymark_error *error);

/* The backends that options name, as masks. */
struct waymark_wants {
	unsigned int limits; /* by backend= */
	unsigned int outputs; /* by simple.file= and similar keys */
	unsigned int keys; /* of own_keys[], which only one backend reads, one bit each */
};

/* Adds the backends that the option names. */
void waymark_config_want(struct waymark_wants *wants, const struct waymark_config *c);

/*
 * Warns about keys without effect so far, once for each backend that no event was built with;
 * `built` are the backends of the events, which the warning lists. `option` is passed on to `warn`.
 */
void waymark_config_report_vain(const struct waymark_wants *wants, unsigned int built,
	void (*warn)(const struct waymark_error *warning, const void *option), const void *option);

#endif
