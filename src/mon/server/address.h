/* SPDX-License-Identifier: MIT */
/*
 * The address of a monitor: reads it from the option `where`, opens it and accepts clients there.
 * All functions except address_init() and address_fini() need the monitor's lock.
 */
#ifndef MON_ADDRESS_H
#define MON_ADDRESS_H

#include <stdbool.h>

#include <waymark/monitor.h>

/* Limit of clients, and the additional number for root if the process is not root's. */
#define ADDRESS_CLIENTS_MAX 256
#define ADDRESS_ROOTS_MORE 8

/* If the limit is reached, a new client replaces one that was idle for this time. */
#define ADDRESS_IDLE_MS 1000

enum address_kind { ADDRESS_DEFAULT, ADDRESS_PATH, ADDRESS_STDIO, ADDRESS_FD };

struct address {
	enum address_kind kind;
	char *path; /* of ADDRESS_PATH: for socket_listen(); absolute if possible */
	int fd; /* of ADDRESS_FD */
	bool of_process; /* each process has its own: a child of fork need not wait for it */
};

/* Reads the option `where`, which may be NULL. Returns 0, or -1 with the error. */
int address_init(struct address *a, const char *where, struct waymark_error *error);
void address_fini(struct address *a);

/* Opens the address. Returns 0, or -1 with the error. */
int address_open(struct waymark_monitor *m, struct waymark_error *error);

/* Opens the address in a fork's child, or waits until the process that has it exits. */
void address_open_later(struct waymark_monitor *m);

/* Accepts clients again after a pause. */
void address_listen(struct waymark_monitor *m);

#endif
