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

#include "base/compiler.h"
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

static const struct {
	bool is_known;
	unsigned char size;
} requests[] = {
	[LIVE_CONNECT] = { true, sizeof(struct live_connect) },
	[LIVE_LIST_SESSIONS] = { true, 0 },
	[LIVE_ATTACH] = { true, sizeof(struct live_attach) },
	[LIVE_NEXT_INDEX] = { true, sizeof(struct live_id) },
	[LIVE_PACKET] = { true, sizeof(struct live_packet) },
	[LIVE_METADATA] = { true, sizeof(struct live_id) },
	[LIVE_NEW_STREAMS] = { true, sizeof(struct live_id) },
	[LIVE_CREATE_SESSION] = { true, 0 },
	[LIVE_DETACH] = { true, sizeof(struct live_id) },
};

int request_size(uint32_t number)
{
	return number < ARRAY_SIZE(requests) && requests[number].is_known ? requests[number].size
									  : -1;
}

bool request_receive(int fd, struct request *r, bool *is_wrong)
{
	struct live_command c;

	if (!message_receive(fd, &c, sizeof(c))) {
		return false;
	}
	r->number = be32toh(c.number);
	int size = request_size(r->number);

	if (size < 0) {
		if (is_wrong) {
			*is_wrong = true;
		}
		return false;
	}
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
