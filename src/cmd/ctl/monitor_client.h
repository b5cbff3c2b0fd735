/* SPDX-License-Identifier: MIT */
/*
 * The QMP client of a process's monitor (waymark-monitor(7)): one connection, one command at a
 * time. A greeting or a whole answer takes at most the timeout, whatever the other end does. A
 * client belongs to one thread.
 */
#ifndef CMD_CTL_MONITOR_CLIENT_H
#define CMD_CTL_MONITOR_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "socket/socket.h"

enum client_failure {
	CLIENT_REFUSED, /* the answer is an error, or the request was not sent; still connected */
	CLIENT_UNREACHED, /* no connection */
	CLIENT_SILENT, /* timeout */
	CLIENT_NO_QMP, /* the other end does not speak QMP */
	CLIENT_ENDED, /* the other end closed the connection */
};

/* The default timeout of an answer, and the option that sets it. */
#define CLIENT_TIMEOUT_MS 10000
#define CLIENT_ROW_TIMEOUT(key)                                                   \
	{                                                                         \
		key, "timeout", "SECONDS", "timeout for each answer; default: 10" \
	}

struct client_timeout {
	int ms;
	bool is_total; /* one timeout for all uses of the connection, not for each answer */
};

struct monitor_client {
	int fd; /* -1: closed */
	char path[SOCKET_PATH_SIZE];
	struct client_timeout timeout;
	uint64_t deadline_ms;
	char *buffer; /* received bytes that were not parsed yet */
	size_t length;
	size_t capacity;
	enum client_failure failure; /* of the last failed call; its reason is `error`: */
	char error[SOCKET_ERROR_SIZE + 256];
};

/* Connects to a socket and negotiates. On failure, closes it and returns false with the reason. */
bool client_open(struct monitor_client *c, const char *path, struct client_timeout timeout);

/* Closes the connection. Legal if opening failed. */
void client_close(struct monitor_client *c);

/*
 * Runs a command. Takes ownership of `arguments`, which may be NULL. Returns its result, which the
 * caller releases, or NULL with the reason.
 */
json_t *client_call(struct monitor_client *c, const char *command, json_t *arguments);

/* Sends a request of any form; returns like client_call(). */
json_t *client_send(struct monitor_client *c, const json_t *request);

/* Notes why a call failed; the arguments may include `c->error`. Returns NULL. */
void *client_fail(struct monitor_client *c, enum client_failure failure, const char *fmt, ...)
	PRINTF(3, 4);

/* Prints an error to standard error, after the name of `target` unless the error has it. */
void client_say(const char *command, const char *target, const char *error);

/* Returns the process at the other end; 0 if unknown. */
pid_t client_pid(const struct monitor_client *c);

/* Returns a string of an object, borrowed; `otherwise` if it has none of that name. */
static inline const char *member_text(const json_t *object, const char *name, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : otherwise;
}

/* Returns a number of an object; 0 if it has none of that name, or a negative one. */
static inline uint64_t member_number(const json_t *object, const char *name)
{
	json_int_t n = json_integer_value(json_object_get(object, name));

	return n > 0 ? (uint64_t)n : 0;
}

#endif
