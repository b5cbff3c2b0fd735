/* SPDX-License-Identifier: MIT */
/*
 * The client of a process's monitor (waymark-monitor(7)), in QMP: one connection,
 * one command at a time. Nothing waits longer than the time that was given, for
 * a greeting or an answer as a whole, whatever the other end does. One thread a client.
 */
#ifndef CMD_CTL_MONITOR_CLIENT_H
#define CMD_CTL_MONITOR_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "socket/socket.h"

/* An answer may have so many bytes; it is given up then. */
#define CLIENT_ANSWER_MAX (64u << 20)

enum client_failure {
	CLIENT_REFUSED, /* an answer that is an error; the connection goes on */
	CLIENT_UNREACHED, /* there is no connection */
	CLIENT_SILENT, /* the time was over */
	CLIENT_NO_QMP, /* what came is none */
	CLIENT_ENDED, /* the other end closed the connection */
};

/* How long commands wait for each answer, if nothing else is said: their option of it. */
#define CLIENT_TIMEOUT_MS 10000
#define CLIENT_ROW_TIMEOUT(key)                                                              \
	{                                                                                    \
		key, "timeout", "SECONDS", "how long is waited for each answer; default: 10" \
	}

/* How long is waited. */
struct client_time {
	int ms;
	bool in_all; /* for all that is done with the connection, else for each answer */
};

struct monitor_client {
	int fd; /* -1: closed */
	char path[SOCKET_PATH_SIZE];
	struct client_time time;
	uint64_t deadline_ms;
	char *buffer; /* what came and was not taken yet */
	size_t length;
	size_t capacity;
	enum client_failure failure; /* of the last call that failed, and in words: */
	char error[SOCKET_ERROR_SIZE + 256];
};

/* Connects to a socket and ends the negotiation. False: it is closed again, with the reason. */
bool client_open(struct monitor_client *c, const char *path, struct client_time time);

/* Legal for one that could not be opened. */
void client_close(struct monitor_client *c);

/*
 * Runs a command; takes `arguments` over, which may be NULL for none. Returns what
 * it returned, the caller's to release, or NULL with the reason.
 */
json_t *client_call(struct monitor_client *c, const char *command, json_t *arguments);

/* The same for a request of any form. */
json_t *client_send(struct monitor_client *c, const json_t *request);

/* The process at the other end. 0: it is not known. */
pid_t client_pid(const struct monitor_client *c);

#endif
