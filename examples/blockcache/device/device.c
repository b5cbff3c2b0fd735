/* SPDX-License-Identifier: MIT */
/*
 * The device process and its users. A request and its answer are one message each; the data is in
 * the queue's part of the shared memory.
 */
#include "device/device.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/jail.h"
#include "scopes.h"

#include <waymark/init.h>

#define QUEUES_MAX 16
#define KEPT_MAX 64

struct queue {
	int user;
	int server;
	char *data;
};

struct device {
	pid_t pid;
	int fd;
	unsigned int queue_count;
	size_t bytes_max;
	char *memory;
	struct queue queues[QUEUES_MAX];
};

/* System calls of the device process, besides those of tracing. */
static const int calls[] = { SYS_ppoll, SYS_read, SYS_write, SYS_pread64, SYS_pwrite64,
	SYS_restart_syscall, SYS_exit_group,
#ifdef SYS_poll
	SYS_poll
#endif
};

/* ---- In the device process ---- */

static int move(int fd, const struct device_request *r, char *data)
{
	size_t done = 0;

	while (done < r->bytes) {
		char *at = data + done;
		off_t offset = r->offset + done;
		ssize_t n = r->write ? pwrite(fd, at, r->bytes - done, offset)
				     : pread(fd, at, r->bytes - done, offset);

		if (n <= 0 && errno != EINTR) {
			return n < 0 ? errno : EIO; /* the file became shorter */
		}
		done += n > 0 ? n : 0;
	}
	return 0;
}

static int read_file(int fd, const struct device_request *r, char *data)
{
	WAYMARK_SCOPE(Device, "read", r->offset, r->bytes);

	return move(fd, r, data);
}

static int write_file(int fd, const struct device_request *r, char *data)
{
	WAYMARK_SCOPE(Device, "write", r->offset, r->bytes);

	return move(fd, r, data);
}

/* A stand-in for a check of the data, so that the example works on every byte. */
static unsigned int check(const struct device_request *r, const char *data)
{
	WAYMARK_SCOPE(Device, "check (all bytes)");
	unsigned int sum = 0;

	for (size_t i = 0; i < r->bytes; i++) {
		sum = sum * 31 + (unsigned char)data[i];
	}
	return sum;
}

/* Serves one request; returns false when the users have ended. */
static bool serve(const struct device *device, unsigned int index)
{
	const struct queue *queue = &device->queues[index];
	struct device_request r;
	ssize_t n = read(queue->server, &r, sizeof(r));

	if (n != sizeof(r)) {
		return false;
	}
	WAYMARK_SCOPE(Device, "serve", index);
	WAYMARK_INSTANT(Wire, "request", r.offset, r.bytes, r.write);
	int error = r.write ? write_file(device->fd, &r, queue->data)
			    : read_file(device->fd, &r, queue->data);

	WAYMARK_COUNTER(Device, "last sum", check(&r, queue->data));
	return write(queue->server, &error, sizeof(error)) == sizeof(error);
}

static void serve_all(const struct device *device)
{
	struct pollfd fds[QUEUES_MAX];

	for (unsigned int i = 0; i < device->queue_count; i++) {
		fds[i] = (struct pollfd){ .fd = device->queues[i].server, .events = POLLIN };
	}
	for (;;) {
		if (poll(fds, device->queue_count, -1) < 0 && errno != EINTR) {
			return;
		}
		for (unsigned int i = 0; i < device->queue_count; i++) {
			if (fds[i].revents && !serve(device, i)) {
				return;
			}
		}
	}
}

/* Never returns, so that no exit handler of the parent runs twice. */
static void be_device(const struct device *device)
{
	int keep[KEPT_MAX] = { device->fd, STDERR_FILENO };
	size_t count = 2;

	prctl(PR_SET_NAME, "block device");
	for (unsigned int i = 0; i < device->queue_count; i++) {
		keep[count++] = device->queues[i].server;
	}
	if (waymark_push_descriptors(keep, &count, KEPT_MAX) ||
		jail_enter(keep, count, calls, sizeof(calls) / sizeof(calls[0]))) {
		_exit(EXIT_FAILURE);
	}
	serve_all(device);
	_exit(EXIT_SUCCESS);
}

/* ---- In its user ---- */

static bool make_queue(struct device *device, unsigned int index)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		return false;
	}
	device->queues[index] =
		(struct queue){ ends[0], ends[1], device->memory + index * device->bytes_max };
	device->queue_count++;
	return true;
}

static bool make_queues(struct device *device, unsigned int queues)
{
	device->memory = mmap(NULL, queues * device->bytes_max, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (device->memory == MAP_FAILED) {
		device->memory = NULL;
		return false;
	}
	while (device->queue_count < queues && make_queue(device, device->queue_count)) {
	}
	return device->queue_count == queues;
}

/* The closed sockets let the device notice the end of its users. */
static void close_servers(struct device *device)
{
	for (unsigned int i = 0; i < device->queue_count; i++) {
		close(device->queues[i].server);
	}
}

static void fini(struct device *device)
{
	for (unsigned int i = 0; i < device->queue_count; i++) {
		close(device->queues[i].user);
	}
	if (device->memory) {
		munmap(device->memory, device->queue_count * device->bytes_max);
	}
}

struct device *device_start(int fd, unsigned int queues, size_t bytes_max)
{
	struct device *device = calloc(1, sizeof(*device));

	if (!device || queues > QUEUES_MAX) {
		free(device);
		errno = device ? EINVAL : ENOMEM;
		return NULL;
	}
	device->fd = fd;
	device->bytes_max = bytes_max;
	device->pid = make_queues(device, queues) ? fork() : -1;
	if (device->pid == 0) {
		be_device(device);
	}
	int error = errno;

	close_servers(device);
	if (device->pid < 0) {
		fini(device);
		free(device);
		errno = error;
		return NULL;
	}
	return device;
}

const char *device_stop(struct device *device)
{
	int status = 0;

	if (!device) {
		return NULL;
	}
	fini(device);
	waitpid(device->pid, &status, 0);
	free(device);
	if (WIFSIGNALED(status)) {
		return strsignal(WTERMSIG(status));
	}
	return WEXITSTATUS(status) ? "it could not enter its jail" : NULL;
}

int device_transfer(
	struct device *device, unsigned int queue, const struct device_request *request, void *data)
{
	const struct queue *q = &device->queues[queue];
	int error;

	WAYMARK_SCOPE(Work, "wait for the device", request->offset, request->bytes);
	if (request->write) {
		memcpy(q->data, data, request->bytes);
	}
	if (send(q->user, request, sizeof(*request), MSG_NOSIGNAL) != sizeof(*request) ||
		read(q->user, &error, sizeof(error)) != sizeof(error)) {
		return EPIPE; /* the device process has ended */
	}
	if (!request->write && !error) {
		memcpy(data, q->data, request->bytes);
	}
	return error;
}
