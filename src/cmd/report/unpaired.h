/* SPDX-License-Identifier: MIT */
/* What did not become a span of time, in words: for all commands that look for spans. */
#ifndef CMD_REPORT_UNPAIRED_H
#define CMD_REPORT_UNPAIRED_H

#include "analyse/report.h"
#include "base/compiler.h"
#include "cmd/session.h"

/* Says that no scopes are in the traces, or in what was selected of them. */
void unpaired_no_scopes(struct session *s);

/* How many kinds there are, each a line. */
#define UNPAIRED_KINDS 5

/* How many there are of a kind; `text` gets what follows the number. */
uint64_t unpaired_get(const struct unpaired *u, size_t kind, const char **text);

#endif
