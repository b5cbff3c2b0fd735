/* SPDX-License-Identifier: MIT */
/*
 * What tracetool reads: files, and directories in place of the TOML files in them. Every
 * input is read before anything is written, so that one run shows all that is wrong.
 */
#ifndef CMD_TRACETOOL_INPUTS_H
#define CMD_TRACETOOL_INPUTS_H

#include "cmd/tracetool/run.h"

/*
 * Reads all inputs into the model; faults of declarations go to `d`. Returns false after one,
 * with the reason in r->error where no declaration is to blame.
 */
bool inputs_read(struct run *r, struct diag *d);

/* Frees the texts of what was read. */
void inputs_fini(struct run *r);

/*
 * Writes the rule that names all inputs as prerequisites of the output,
 * as make and ninja read it.
 */
void inputs_write_rule(const struct run *r, struct out *o);

#endif
