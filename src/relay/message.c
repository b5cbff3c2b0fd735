/* SPDX-License-Identifier: MIT */
/* A request is sent at once, as many small packets would be slow. */
#include "relay/message.h"

#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "format/lttng_live.h"

void message_be_impatient(int fd, int seconds)
{
	const struct timeval patience = { .tv_sec = seconds };
	const int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

bool message_receive(int fd, void *to, size_t size)
{
	char *p = to;

	while (size > 0) {
		ssize_t n = recv(fd, p, size, 0);

		if (n <= 0 && !(n < 0 && errno == EINTR)) {
			return false;
		}
		p += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

bool message_send(int fd, const void *from, size_t size)
{
	const char *p = from;

	while (size > 0) {
		ssize_t n = send(fd, p, size, MSG_NOSIGNAL);

		if (n <= 0 && !(n < 0 && errno == EINTR)) {
			return false;
		}
		p += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

bool request_receive(int fd, struct request *r, bool *is_wrong)
{
	struct live_command c;

	if (!message_receive(fd, &c, sizeof(c))) {
		return false;
	}
	uint64_t size = be64toh(c.size);

	if (size > sizeof(r->bytes)) {
		if (is_wrong) {
			*is_wrong = true;
		}
		return false;
	}
	r->number = be32toh(c.number);
	r->size = (size_t)size;
	return message_receive(fd, r->bytes, r->size);
}

bool request_send(int fd, const struct request *r)
{
	const struct live_command c = { .size = htobe64(r->size), .number = htobe32(r->number) };
	unsigned char all[sizeof(c) + REQUEST_MAX];

	memcpy(all, &c, sizeof(c));
	memcpy(all + sizeof(c), r->bytes, r->size);
	return message_send(fd, all, sizeof(c) + r->size);
}
