/* SPDX-License-Identifier: MIT */
/*
 * The address of a monitor: read from the option `where`, opened, and clients accepted
 * there. All but address_init() and address_fini() under the monitor's lock.
 */
#ifndef MON_ADDRESS_H
#define MON_ADDRESS_H

#include <stdbool.h>

#include <waymark/monitor.h>

/* Clients at a time, and how many more of root, where the process is not root's. */
#define ADDRESS_CLIENTS_MAX 256
#define ADDRESS_ROOTS_MORE 8

/* With as many clients, one that was idle for this long is closed for a new one. */
#define ADDRESS_IDLE_MS 1000

enum address_kind { ADDRESS_DEFAULT, ADDRESS_PATH, ADDRESS_STDIO, ADDRESS_FD };

struct address {
	enum address_kind kind;
	char *path; /* of ADDRESS_PATH: as socket_listen() takes it; absolute if that is possible */
	int fd; /* of ADDRESS_FD */
	bool of_process; /* each process has its own: a child of fork need not wait for it */
};

/* `where` may be NULL. Returns 0, or -1 with the error. */
int address_init(struct address *a, const char *where, struct waymark_error *error);
void address_fini(struct address *a);

/* Opens the address. Returns 0, or -1 with the error. */
int address_open(struct waymark_monitor *m, struct waymark_error *error);

/* In a fork's child: opens the address, or waits until the process that has it exits. */
void address_open_later(struct waymark_monitor *m);

/* Accepts clients again after a pause. */
void address_listen(struct waymark_monitor *m);

#endif
