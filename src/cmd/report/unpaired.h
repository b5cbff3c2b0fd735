/* SPDX-License-Identifier: MIT */
/* What did not become a span of time, in words: for all commands that look for spans. */
#ifndef CMD_REPORT_UNPAIRED_H
#define CMD_REPORT_UNPAIRED_H

#include "analyse/report.h"
#include "base/compiler.h"

/* How many kinds there are, each a line. */
#define UNPAIRED_KINDS 5

/* How many there are of a kind; `text` gets what follows the number. */
uint64_t unpaired_get(const struct unpaired *u, size_t kind, const char **text);

#endif
