/* SPDX-License-Identifier: MIT */
/* What did not become a span of time, in words: for all commands that look for spans. */
#ifndef CMD_REPORT_UNPAIRED_H
#define CMD_REPORT_UNPAIRED_H

#include "analyse/report.h"
#include "base/compiler.h"

/* What is said of a trace where nothing could be a span: for commands that look for scopes. */
#define UNPAIRED_NO_SCOPES                                                                       \
	"no scopes are in it: WAYMARK_SCOPE() of waymark-trace-points(3) makes them, or a "      \
	"declaration, see waymark-scopes(3); between any two events it is waymark latency that " \
	"measures"

/* How many kinds there are, each a line. */
#define UNPAIRED_KINDS 5

/* How many there are of a kind; `text` gets what follows the number. */
uint64_t unpaired_get(const struct unpaired *u, size_t kind, const char **text);

#endif
