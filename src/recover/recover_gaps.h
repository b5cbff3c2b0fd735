/* SPDX-License-Identifier: MIT */
/* Packets, and parts of them, that nobody has any more; for recover.c only. */
#ifndef RECOVER_RECOVER_GAPS_H
#define RECOVER_RECOVER_GAPS_H

#include "recover/recover.h"
#include "recover/stream_files.h"

/*
 * Marks in the streams, whose ends are mended and have all that memory had, what
 * is missing, counts it in the result and names the first of it. False on
 * failure, with s->error.
 */
bool recover_mark_gaps(struct stream_files *s, struct recover_result *result);

#endif
