/* SPDX-License-Identifier: MIT */
/* getaddrinfo() reads names and both families. */
#include "cmd/tcp.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"

#define PLACE_SIZE 300
#define WAITING_MAX 128 /* connections that are not accepted yet */

bool tcp_find(const char *place, struct addrinfo **found, char *error, size_t size)
{
	const struct addrinfo wanted = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM };
	char copy[PLACE_SIZE];
	char *address = copy;

	snprintf(copy, sizeof(copy), "%s", place);
	char *port = strrchr(copy, ':');

	if (!port) {
		port = copy;
		address = NULL;
	} else {
		*port++ = '\0';
		if (*address == '[' && port - 2 > address && port[-2] == ']') {
			port[-2] = '\0';
			address++;
		}
	}
	bool is_port = *port && !port[strspn(port, "0123456789")] && strlen(port) <= 5 &&
		       atoi(port) <= UINT16_MAX;
	int failed = is_port ? getaddrinfo(address ? address : "127.0.0.1", port, &wanted, found)
			     : EAI_SERVICE;

	return failed ? error_format(error, size, "'%.200s' is no [ADDRESS:]PORT: %s", place,
				gai_strerror(failed))
		      : true;
}

static int listen_at(const struct addrinfo *a)
{
	/* else a client that leaves before it is accepted blocks the caller */
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const int on = 1;

	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	}
	if (fd >= 0 && (bind(fd, a->ai_addr, a->ai_addrlen) != 0 || listen(fd, WAITING_MAX) != 0)) {
		int why = errno;

		close(fd);
		errno = why;
		return -1;
	}
	return fd;
}

int tcp_listen(const char *place, char *error, size_t size)
{
	struct addrinfo *found;

	if (!tcp_find(place, &found, error, size)) {
		return -1;
	}
	int fd = listen_at(found);

	if (fd < 0) {
		error_format(error, size, "cannot listen at %.200s: %s", place, strerror(errno));
	}
	freeaddrinfo(found);
	return fd;
}
