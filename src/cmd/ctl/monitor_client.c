/* SPDX-License-Identifier: MIT */
/* See cmd/ctl/monitor_client.h. */
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

#include "base/compiler.h"
#include "base/memory.h"

#define PIECE 65536u

/* Of what is no QMP, so much is shown. */
#define SHOWN 40

static PRINTF(3, 4) void *fail(
	struct monitor_client *c, enum client_failure failure, const char *fmt, ...)
{
	va_list ap;

	c->failure = failure;
	va_start(ap, fmt);
	vsnprintf(c->error, sizeof(c->error), fmt, ap);
	va_end(ap);
	return NULL;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void begin_time(struct monitor_client *c)
{
	if (!c->deadline_ms || !c->time.in_all) {
		c->deadline_ms = now_ms() + (uint64_t)c->time.ms;
	}
}

/* Waits until the socket is ready; false, and it failed, when the time is over. */
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
	fail(c, CLIENT_SILENT, "does not answer within %g s: is it stopped, or busy?",
		c->time.ms / 1000.0);
	return false;
}

static bool fail_ended(struct monitor_client *c)
{
	fail(c, CLIENT_ENDED, "the connection was closed by the process, or the process has ended");
	return false;
}

static bool is_passing(int error)
{
	return error == EAGAIN || error == EINTR;
}

/* One more piece of what comes. */
static bool receive(struct monitor_client *c)
{
	if (c->length > CLIENT_ANSWER_MAX) {
		fail(c, CLIENT_NO_QMP, "an answer of more than %u MiB was given up",
			CLIENT_ANSWER_MAX >> 20);
		return false;
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
	return fail(c, CLIENT_NO_QMP,
		"speaks no QMP, it says '%.*s': a monitor with control-mode=hmp is for people, as "
		"in 'socat - UNIX-CONNECT:%s'; this command needs control-mode=qmp",
		length < SHOWN ? (int)length : SHOWN, text, c->path);
}

/* Lines end with a newline, and those of QMP are objects. Which it is the first byte tells. */
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
			fail_no_qmp(c, c->buffer, c->length);
			return false;
		}
	}
	*length = (size_t)(end + 1 - c->buffer);
	return true;
}

/* The next object. */
static json_t *receive_object(struct monitor_client *c)
{
	json_error_t error;
	size_t length;

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
		fail(c, CLIENT_REFUSED, "what was given is no UTF-8");
		return false;
	}
	bool sent = send_text(c, text, strlen(text)) && send_text(c, "\r\n", 2);

	free(text);
	return sent;
}

/* What an error says, NULL where an object is none. Borrowed. */
static const char *error_of(const json_t *object)
{
	return json_string_value(json_object_get(json_object_get(object, "error"), "desc"));
}

/* What an answer returns; what QMP tells unasked is passed over. Takes the answer over. */
static json_t *take_answer(struct monitor_client *c, json_t *answer)
{
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
		fail(c, CLIENT_REFUSED, "%s", text);
	} else if (!result) {
		fail(c, CLIENT_NO_QMP, "speaks no QMP: an answer is neither a return nor an error");
	}
	json_decref(answer);
	return result;
}

json_t *client_send(struct monitor_client *c, const json_t *request)
{
	if (c->fd < 0) {
		return fail(c, CLIENT_ENDED, "the connection is closed");
	}
	begin_time(c);
	/* What ends a connection may say why first: that is there to be read. */
	if (!send_object(c, request) && c->failure != CLIENT_ENDED) {
		return NULL;
	}
	return take_answer(c, receive_object(c));
}

json_t *client_call(struct monitor_client *c, const char *command, json_t *arguments)
{
	json_t *request = json_pack("{s:s, s:o*}", "execute", command, "arguments", arguments);
	json_t *result = request ? client_send(c, request)
				 : fail(c, CLIENT_REFUSED, "what was given is no UTF-8");

	json_decref(request);
	return result;
}

static bool has_word(const json_t *commands, const char *name)
{
	size_t i;
	const json_t *command;

	json_array_foreach(commands, i, command)
	{
		const char *text = json_string_value(json_object_get(command, "name"));

		if (text && strcmp(text, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Only ours has commands of ours, and not in every dialect. */
static bool check_dialect(struct monitor_client *c)
{
	json_t *commands = client_call(c, "query-commands", NULL);
	bool is_ours = has_word(commands, "trace-stats");

	if (commands && !is_ours) {
		bool is_stratovirt = has_word(commands, "trace-get-state");

		fail(c, CLIENT_NO_QMP,
			"%s: this command needs a monitor of Waymark with "
			"control-mode=qmp",
			is_stratovirt ? "speaks the dialect of StratoVirt"
				      : "is no monitor of Waymark");
	}
	json_decref(commands);
	return is_ours;
}

static bool greet(struct monitor_client *c)
{
	begin_time(c);
	json_t *greeting = receive_object(c);

	if (!greeting) {
		return false;
	}
	bool is_qmp = json_object_get(greeting, "QMP") != NULL;

	if (!is_qmp && error_of(greeting)) {
		fail(c, CLIENT_REFUSED, "%s", error_of(greeting));
	} else if (!is_qmp) {
		fail(c, CLIENT_NO_QMP, "speaks no QMP: what it begins with is no greeting");
	}
	json_decref(greeting);
	if (!is_qmp) {
		return false;
	}
	json_t *result = client_call(c, "qmp_capabilities", NULL);

	json_decref(result);
	return result && check_dialect(c);
}

bool client_open(struct monitor_client *c, const char *path, struct client_time time)
{
	*c = (struct monitor_client){ .time = time, .failure = CLIENT_UNREACHED };
	snprintf(c->path, sizeof(c->path), "%s", path);
	begin_time(c);
	c->fd = socket_connect(path, time.ms, c->error, sizeof(c->error));
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
