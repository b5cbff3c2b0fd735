/* SPDX-License-Identifier: MIT */
/* What a new trace needs before it can begin. Control calls only; control.h has the options. */
#ifndef RT_CTF_PREPARE_H
#define RT_CTF_PREPARE_H

#include "rt/ctf/ctf.h"

/* A configuration as options want it; NULL: `room` bytes for a path. NULL without memory. */
struct ctf_config *waymark_ctf_new_config(const char *path, size_t room);

/* Whether a trace can have the name: see struct waymark_sink. */
int waymark_ctf_check_file(const char *path, bool yield, bool replace, struct waymark_error *error);

/* Removes or keeps what has the name; sets `taken` if the trace needs another name. */
int waymark_ctf_prepare(const char *path, bool yield, bool *taken, struct waymark_error *error);

#endif
