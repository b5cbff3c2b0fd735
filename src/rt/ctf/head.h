/* SPDX-License-Identifier: MIT */
/* What the metadata begins with: whose trace it is, and its clock. For src/rt/ctf alone. */
#ifndef RT_CTF_HEAD_H
#define RT_CTF_HEAD_H

#include <sys/utsname.h>

#include "rt/ctf/ctf.h"

struct ctf_text;

/* Writes it, with the clock as it is known `now`. `host` is scratch memory. Any signal handler. */
void waymark_ctf_head_put(struct ctf_text *text, const struct ctf_trace *t,
	const struct buffer_clock *now, struct utsname *host);

/* Has the names kept that are read of files: in a jail there are none. No signal handler. */
void waymark_ctf_names_keep(void);

#endif
