/* SPDX-License-Identifier: MIT */
/*
 * Putting an option into force, in two phases: check everything that can be
 * checked, then apply. Callers take out of the config what they want to do at
 * another time (the environment's and QEMU's file= wait for the program).
 */
#ifndef RT_CONFIG_H
#define RT_CONFIG_H

#include "rt/option.h"

/*
 * The sink that `file=` names now. NULL, with the reason, when no loaded object
 * was built with a backend that has a file.
 */
const struct waymark_sink *waymark_config_sink(const char *file, struct waymark_error *error);

/* Checks and applies; empties the rules. Returns 0, or -1 with the reason. */
int waymark_config_apply(
	struct waymark_config *c, struct waymark_match *match, struct waymark_error *error);

#endif
