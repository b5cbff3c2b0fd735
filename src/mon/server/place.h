/* SPDX-License-Identifier: MIT */
/* Where a monitor is reached: what the option `where` says. */
#ifndef MON_PLACE_H
#define MON_PLACE_H

#include <stdbool.h>

#include <waymark/monitor.h>

enum place_kind { PLACE_DEFAULT, PLACE_PATH, PLACE_STDIO, PLACE_FD };

struct place {
	enum place_kind kind;
	char *path; /* of PLACE_PATH: as socket_listen() takes it; absolute wherever it can be */
	int fd; /* of PLACE_FD */
	bool of_process; /* each process has its own: a child of fork need not wait */
};

/* `where` may be NULL. Returns 0, or -1 with the error. */
int place_init(struct place *p, const char *where, struct waymark_error *error);
void place_fini(struct place *p);

#endif
