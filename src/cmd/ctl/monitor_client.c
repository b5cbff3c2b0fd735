/* SPDX-License-Identifier: MIT */
/*
 * QMP over a socket: sends a request, receives lines and parses them. Every wait is a poll()
 * that ends at the deadline.
 */
#include "cmd/ctl/monitor_client.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "cmd/escaped.h"

/* Bytes of the longest answer. */
#define ANSWER_MAX (64u << 20)

/* Bytes received at a time. */
#define PIECE 65536u

/* Bytes printed of text that is not QMP. */
#define SHOWN 40

#define NO_UTF8 "the argument is not UTF-8"

void *client_fail(struct monitor_client *c, enum client_failure failure, const char *fmt, ...)
{
	char text[sizeof(c->error)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	strcpy(c->error, text);
	c->failure = failure;
	return NULL;
}

void client_say(const char *command, const char *target, const char *error)
{
	/* Errors about a socket already begin with its path. */
	bool names_it = strncmp(error, target, strlen(target)) == 0;

	escaped_say(command, "%s%s%s", names_it ? "" : target, names_it ? "" : ": ", error);
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void set_deadline(struct monitor_client *c)
{
	if (!c->deadline_ms || !c->timeout.is_total) {
		c->deadline_ms = now_ms() + (uint64_t)c->timeout.ms;
	}
}

/* Waits until the socket is ready; false if the call failed, or reached the deadline. */
static bool await(struct monitor_client *c, short events)
{
	struct pollfd p = { .fd = c->fd, .events = events };
	uint64_t now = now_ms();

	while (now < c->deadline_ms) {
		if (poll(&p, 1, (int)(c->deadline_ms - now)) > 0) {
			return true;
		}
		now = now_ms();
	}
	return client_fail(c, CLIENT_SILENT, "does not answer within %g s: is it stopped, or busy?",
		c->timeout.ms / 1000.0);
}

static bool fail_ended(struct monitor_client *c)
{
	return client_fail(c, CLIENT_ENDED, "the process closed the connection, or has ended");
}

static bool is_passing(int error)
{
	return error == EAGAIN || error == EINTR;
}

static bool receive(struct monitor_client *c)
{
	if (c->length > ANSWER_MAX) {
		return client_fail(
			c, CLIENT_NO_QMP, "the answer has more than %u MiB", ANSWER_MAX >> 20);
	}
	if (c->capacity - c->length < PIECE) {
		c->capacity = 2 * c->capacity + PIECE;
		c->buffer = xrealloc(c->buffer, c->capacity);
	}
	if (!await(c, POLLIN)) {
		return false;
	}
	ssize_t n = recv(c->fd, c->buffer + c->length, c->capacity - c->length, MSG_DONTWAIT);

	if (n == 0 || (n < 0 && !is_passing(errno))) {
		return fail_ended(c);
	}
	c->length += n > 0 ? (size_t)n : 0;
	return true;
}

static void *fail_no_qmp(struct monitor_client *c, const char *text, size_t length)
{
	return client_fail(c, CLIENT_NO_QMP,
		"does not speak QMP, it says '%.*s': a monitor with control-mode=hmp is for people, as "
		"in 'socat - UNIX-CONNECT:%s'; this command needs control-mode=qmp",
		length < SHOWN ? (int)length : SHOWN, text, c->path);
}

/* Receives a line. QMP's lines are objects, so any other first byte fails immediately. */
static bool receive_line(struct monitor_client *c, size_t *length)
{
	char *end = NULL;
	size_t seen = 0;

	while (!(end = c->length ? memchr(c->buffer + seen, '\n', c->length - seen) : NULL)) {
		seen = c->length;
		if (!receive(c)) {
			return false;
		}
		if (c->length && c->buffer[0] != '{') {
			return fail_no_qmp(c, c->buffer, c->length);
		}
	}
	*length = (size_t)(end + 1 - c->buffer);
	return true;
}

static json_t *receive_object(struct monitor_client *c)
{
	json_error_t error;
	size_t length = 0;

	if (!receive_line(c, &length)) {
		return NULL;
	}
	json_t *object = json_loadb(c->buffer, length, 0, &error);

	if (!json_is_object(object)) {
		json_decref(object);
		return fail_no_qmp(c, c->buffer, strcspn(c->buffer, "\r\n"));
	}
	memmove(c->buffer, c->buffer + length, c->length - length);
	c->length -= length;
	return object;
}

static bool send_text(struct monitor_client *c, const char *text, size_t length)
{
	while (length) {
		if (!await(c, POLLOUT)) {
			return false;
		}
		ssize_t n = send(c->fd, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0 && !is_passing(errno)) {
			return fail_ended(c);
		}
		text += n > 0 ? n : 0;
		length -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

static bool send_object(struct monitor_client *c, const json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);

	if (!text) {
		return client_fail(c, CLIENT_REFUSED, NO_UTF8);
	}
	bool sent = send_text(c, text, strlen(text)) && send_text(c, "\r\n", 2);

	free(text);
	return sent;
}

/* Returns the text of an error answer, borrowed; NULL for other answers. */
static const char *error_of(const json_t *answer)
{
	return member_text(json_object_get(answer, "error"), "desc", NULL);
}

/* Receives the result of a command, after skipping QMP's events. */
static json_t *receive_result(struct monitor_client *c)
{
	json_t *answer = receive_object(c);

	while (answer && json_object_get(answer, "event")) {
		json_decref(answer);
		answer = receive_object(c);
	}
	if (!answer) {
		return NULL;
	}
	json_t *result = json_incref(json_object_get(answer, "return"));
	const char *text = error_of(answer);

	if (!result && text) {
		client_fail(c, CLIENT_REFUSED, "%s", text);
	} else if (!result) {
		client_fail(c, CLIENT_NO_QMP,
			"does not speak QMP: an answer is neither a return nor an error");
	}
	json_decref(answer);
	return result;
}

json_t *client_send(struct monitor_client *c, const json_t *request)
{
	if (c->fd < 0) {
		return client_fail(c, CLIENT_ENDED, "the connection is closed");
	}
	set_deadline(c);
	/* A monitor that closes the connection may have sent the reason before. */
	if (!send_object(c, request) && c->failure != CLIENT_ENDED) {
		return NULL;
	}
	return receive_result(c);
}

json_t *client_call(struct monitor_client *c, const char *command, json_t *arguments)
{
	json_t *request = json_pack("{s:s, s:o*}", "execute", command, "arguments", arguments);
	json_t *result =
		request ? client_send(c, request) : client_fail(c, CLIENT_REFUSED, NO_UTF8);

	json_decref(request);
	return result;
}

static bool has_command(const json_t *commands, const char *name)
{
	size_t i;
	const json_t *command;

	json_array_foreach(commands, i, command)
	{
		if (strcmp(member_text(command, "name", ""), name) == 0) {
			return true;
		}
	}
	return false;
}

/* Requires Waymark's dialect qmp by its command trace-stats, as QEMU's monitor speaks QMP, too. */
static bool check_dialect(struct monitor_client *c)
{
	json_t *commands = client_call(c, "query-commands", NULL);
	bool is_ours = has_command(commands, "trace-stats");

	if (commands && !is_ours) {
		bool is_stratovirt = has_command(commands, "trace-get-state");

		client_fail(c, CLIENT_NO_QMP,
			"%s: this command needs a monitor of Waymark with control-mode=qmp",
			is_stratovirt ? "speaks the dialect of StratoVirt"
				      : "is not a monitor of Waymark");
	}
	json_decref(commands);
	return is_ours;
}

static bool greet(struct monitor_client *c)
{
	set_deadline(c);
	json_t *greeting = receive_object(c);

	if (!greeting) {
		return false;
	}
	bool is_qmp = json_object_get(greeting, "QMP") != NULL;

	if (!is_qmp && error_of(greeting)) {
		client_fail(c, CLIENT_REFUSED, "%s", error_of(greeting));
	} else if (!is_qmp) {
		client_fail(
			c, CLIENT_NO_QMP, "does not speak QMP: its first object is not a greeting");
	}
	json_decref(greeting);
	if (!is_qmp) {
		return false;
	}
	json_t *result = client_call(c, "qmp_capabilities", NULL);

	json_decref(result);
	return result && check_dialect(c);
}

bool client_open(struct monitor_client *c, const char *path, struct client_timeout timeout)
{
	*c = (struct monitor_client){ .timeout = timeout, .failure = CLIENT_UNREACHED };
	snprintf(c->path, sizeof(c->path), "%s", path);
	set_deadline(c);
	c->fd = socket_connect(path, timeout.ms, c->error, sizeof(c->error));
	if (c->fd >= 0 && greet(c)) {
		return true;
	}
	client_close(c);
	return false;
}

void client_close(struct monitor_client *c)
{
	if (c->fd >= 0) {
		close(c->fd);
	}
	free(c->buffer);
	c->buffer = NULL;
	c->length = c->capacity = 0;
	c->fd = -1;
}

pid_t client_pid(const struct monitor_client *c)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(c->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}
