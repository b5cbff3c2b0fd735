/* SPDX-License-Identifier: MIT */
/* One stream file's packets checked and its end made whole; for stream_files.c only. */
#ifndef RECOVER_STREAM_MEND_H
#define RECOVER_STREAM_MEND_H

#include "recover/stream_files.h"

/*
 * Takes the packets into the file's index. A last one that is open is closed,
 * one that is cut keeps its whole events, and what is no packet goes. False,
 * with s->error, when whole packets lie behind the damage or the file cannot be
 * changed: then it is as it was.
 */
bool stream_mend(struct stream_files *s, struct stream_file *f);

#endif
