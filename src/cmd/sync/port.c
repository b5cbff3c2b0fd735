/* SPDX-License-Identifier: MIT */
/*
 * Opens ports and cuts what arrives into lines. A virtio-serial port without a host behind it can
 * be opened, reads as ended and is never writable. A terminal is switched to raw bytes, because it
 * would echo each line.
 */
#include "cmd/sync/port.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"

/* A host that is there takes a line at once. */
#define SEND_MS 2000

static int connect_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	strcpy(address.sun_path, path);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address))) {
		int error = errno;

		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

/* True for a port of virtio-serial, whose device numbers are assigned at run time. */
static bool is_virtio_port(const struct stat *st)
{
	static const char name[] = "/virtio-ports";
	char path[64];
	char subsystem[256];

	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/subsystem", major(st->st_rdev),
		minor(st->st_rdev));
	ssize_t n = readlink(path, subsystem, sizeof(subsystem));

	return n >= (ssize_t)sizeof(name) - 1 &&
	       memcmp(subsystem + n - (sizeof(name) - 1), name, sizeof(name) - 1) == 0;
}

/* Opens a serial line; returns 0 or an errno. */
static int open_line(struct port *p, const char *path)
{
	struct stat st;

	p->fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (p->fd < 0 || fstat(p->fd, &st)) {
		return errno == EISDIR ? ENOTTY : errno;
	}
	p->is_terminal = tcgetattr(p->fd, &p->mode) == 0;
	if (p->is_terminal) {
		struct termios raw = p->mode;

		cfmakeraw(&raw);
		tcsetattr(p->fd, TCSANOW, &raw);
	}
	return p->is_terminal || (S_ISCHR(st.st_mode) && is_virtio_port(&st)) ? 0 : ENOTTY;
}

int port_open(struct port *p, const char *path)
{
	struct stat st;

	signal(SIGPIPE, SIG_IGN);
	*p = (struct port){ .fd = -1 };
	if (stat(path, &st)) {
		return errno;
	}
	if (!S_ISSOCK(st.st_mode)) {
		return open_line(p, path);
	}
	p->fd = connect_socket(path);
	if (p->fd < 0) {
		return errno;
	}
	fcntl(p->fd, F_SETFL, O_NONBLOCK);
	return 0;
}

void port_close(struct port *p)
{
	if (p->is_terminal) {
		tcsetattr(p->fd, TCSANOW, &p->mode);
	}
	if (p->fd >= 0) {
		close(p->fd);
	}
}

/* Waits for the events; returns 0, ETIMEDOUT or another errno. */
static int wait_for(struct port *p, short events, int ms)
{
	struct pollfd wanted = { .fd = p->fd, .events = events };
	int ready = poll(&wanted, 1, ms);

	return ready > 0 ? 0 : ready == 0 ? ETIMEDOUT : errno;
}

int port_send(struct port *p, const char *line)
{
	for (size_t left = strlen(line); left > 0;) {
		ssize_t n = write(p->fd, line, left);

		if (n > 0) {
			line += n;
			left -= (size_t)n;
			continue;
		}
		int error = n < 0 && errno != EAGAIN ? errno : wait_for(p, POLLOUT, SEND_MS);

		if (error && error != EINTR) {
			return error;
		}
	}
	return 0;
}

/* Moves the first line out of the bytes; false if they hold none yet. */
static bool take_line(struct port *p, char line[PORT_LINE_SIZE])
{
	const char *newline = memchr(p->bytes, '\n', p->count);
	size_t length = newline ? (size_t)(newline - p->bytes) : p->count;

	if (!newline && p->count < sizeof(p->bytes) - 1) {
		return false;
	}
	memcpy(line, p->bytes, length);
	line[length] = '\0';
	p->count -= length + (newline != NULL);
	memmove(p->bytes, p->bytes + length + (newline != NULL), p->count);
	return true;
}

int port_receive(struct port *p, char line[PORT_LINE_SIZE], int ms)
{
	uint64_t deadline = clock_now_ns() + (uint64_t)ms * 1000000;

	while (!take_line(p, line)) {
		uint64_t now = clock_now_ns();
		int left = ms < 0	    ? -1
			   : now < deadline ? (int)((deadline - now + 999999) / 1000000)
					    : 0;
		int error = wait_for(p, POLLIN, left);

		if (error && error != EINTR) {
			return error;
		}
		ssize_t n = read(p->fd, p->bytes + p->count, sizeof(p->bytes) - 1 - p->count);

		if (n == 0) {
			return EPIPE;
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			return errno;
		}
		p->count += n > 0 ? (size_t)n : 0;
	}
	return 0;
}
