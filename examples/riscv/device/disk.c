/* SPDX-License-Identifier: MIT */
/*
 * A queue of the guest's requests, and the thread that empties it. The lock guards
 * queue and registers, and that the interrupt agrees with them; it is not held
 * while bytes travel. A request is copied when it is submitted: what the guest
 * does to it then changes nothing.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/devices.h"
#include "device/trace.h"
#include "machine/machine.h"

struct queued {
	uint64_t id; /* for the trace */
	struct disk_request request;
	uint32_t *status; /* in the guest's memory */
};

struct disk {
	struct machine *machine;
	int fd;
	uint64_t bytes;
	pthread_mutex_t lock;
	pthread_cond_t submitted;
	struct queued queue[DISK_QUEUE];
	uint64_t first; /* the number of the oldest, which is in queue[first % DISK_QUEUE] */
	uint64_t next; /* the number of the next to come */
	uint64_t done;
	bool interrupts;
	bool ends;
	pthread_t thread;
};

static void update_interrupt(struct disk *disk)
{
	bool pending = disk->interrupts && disk->done;

	trace_guest_disk_interrupt(pending);
	(pending ? hart_raise : hart_lower)(&disk->machine->harts[0], HART_EXTERNAL);
}

static bool submit(struct disk *disk, uint64_t address)
{
	struct disk_request *request = ram_at(&disk->machine->ram, address, sizeof(*request));
	struct queued *queued = &disk->queue[disk->next % DISK_QUEUE];

	if (!request || address % 8 || disk->next - disk->first == DISK_QUEUE) {
		return false;
	}
	*queued = (struct queued){ disk->next++, *request, &request->status };
	request = &queued->request;
	trace_guest_disk_submit(queued->id, request->operation == DISK_WRITE ? "write" : "read",
		request->sector, request->sectors);
	pthread_cond_signal(&disk->submitted);
	return true;
}

static bool load_register(const struct disk *disk, uint64_t offset, uint64_t *value)
{
	switch (offset) {
	case DISK_BYTES:
		*value = disk->bytes;
		return true;
	case DISK_ROOM:
		*value = DISK_QUEUE - (disk->next - disk->first);
		return true;
	case DISK_DONE:
		*value = disk->done;
		return true;
	case DISK_INTERRUPTS:
		*value = disk->interrupts;
		return true;
	default:
		return false;
	}
}

static bool store_register(struct disk *disk, uint64_t offset, uint64_t value)
{
	switch (offset) {
	case DISK_SUBMIT:
		return submit(disk, value);
	case DISK_DONE:
		disk->done = 0;
		break;
	case DISK_INTERRUPTS:
		disk->interrupts = value & 1;
		break;
	default:
		return false;
	}
	update_interrupt(disk);
	return true;
}

static bool load(void *opaque, uint64_t offset, unsigned int size, uint64_t *value)
{
	struct disk *disk = opaque;

	pthread_mutex_lock(&disk->lock);
	bool known = load_register(disk, offset, value);

	pthread_mutex_unlock(&disk->lock);
	return known && size == 8;
}

static bool store(void *opaque, uint64_t offset, unsigned int size, uint64_t value)
{
	struct disk *disk = opaque;

	if (size != 8) {
		return false;
	}
	pthread_mutex_lock(&disk->lock);
	bool known = store_register(disk, offset, value);

	pthread_mutex_unlock(&disk->lock);
	return known;
}

/* Moves so many bytes at `offset` of the file. */
static bool move(const struct disk *disk, bool write, char *at, uint64_t bytes, uint64_t offset)
{
	uint64_t done = 0;

	while (done < bytes) {
		ssize_t n = write ? pwrite(disk->fd, at + done, bytes - done, offset + done)
				  : pread(disk->fd, at + done, bytes - done, offset + done);

		if (n == 0 || (n < 0 && errno != EINTR)) {
			return false; /* an error, or the file became shorter */
		}
		done += n > 0 ? n : 0;
	}
	return true;
}

static enum disk_status transfer(struct disk *disk, const struct disk_request *request)
{
	struct ram *ram = &disk->machine->ram;
	uint64_t sectors = disk->bytes / DISK_SECTOR + (disk->bytes % DISK_SECTOR != 0);
	uint64_t bytes = (uint64_t)request->sectors * DISK_SECTOR;
	char *at = ram_at(ram, request->buffer, bytes);

	if (!at || request->operation > DISK_WRITE || request->sectors == 0 ||
		request->sectors > sectors || request->sector > sectors - request->sectors) {
		return DISK_REFUSED;
	}
	uint64_t offset = request->sector * DISK_SECTOR;
	uint64_t left = disk->bytes - offset;
	uint64_t inside = left < bytes ? left : bytes;

	if (!move(disk, request->operation == DISK_WRITE, at, inside, offset)) {
		return DISK_FAILED;
	}
	if (request->operation == DISK_READ) {
		memset(at + inside, 0, bytes - inside);
		ram_written(ram, at, bytes);
	}
	return DISK_OK;
}

/* The oldest request, which keeps its place while it is worked on. NULL at the end. */
static const struct queued *wait_for_request(struct disk *disk)
{
	while (disk->first == disk->next && !disk->ends) {
		pthread_cond_wait(&disk->submitted, &disk->lock);
	}
	if (disk->ends) {
		return NULL;
	}
	const struct queued *queued = &disk->queue[disk->first % DISK_QUEUE];

	trace_guest_disk_begin(queued->id, disk->next - disk->first - 1);
	return queued;
}

/* The status is written last: then the guest finds the bytes, and room in the queue. */
static void complete(struct disk *disk, const struct queued *queued, enum disk_status status)
{
	uint32_t *at = queued->status;

	trace_guest_disk_complete(queued->id, status);
	disk->first++;
	disk->done++;
	__atomic_store_n(at, (uint32_t)status, __ATOMIC_RELEASE);
	ram_written(&disk->machine->ram, at, sizeof(*at));
	update_interrupt(disk);
}

static void *disk_thread(void *opaque)
{
	struct disk *disk = opaque;
	const struct queued *queued;

	pthread_mutex_lock(&disk->lock);
	while ((queued = wait_for_request(disk))) {
		pthread_mutex_unlock(&disk->lock);
		enum disk_status status = transfer(disk, &queued->request);

		pthread_mutex_lock(&disk->lock);
		complete(disk, queued, status);
	}
	pthread_mutex_unlock(&disk->lock);
	return NULL;
}

struct disk *disk_create(struct machine *machine, int fd, uint64_t bytes)
{
	struct disk *disk = calloc(1, sizeof(*disk));

	if (!disk) {
		return NULL;
	}
	disk->machine = machine;
	disk->fd = fd;
	disk->bytes = bytes;
	pthread_mutex_init(&disk->lock, NULL);
	pthread_cond_init(&disk->submitted, NULL);
	errno = pthread_create(&disk->thread, NULL, disk_thread, disk);
	if (errno) {
		free(disk);
		return NULL;
	}
	bus_add(&machine->bus, &(struct device){ .name = "disk",
				       .base = DISK_BASE,
				       .size = DISK_REGISTERS,
				       .load = load,
				       .store = store,
				       .opaque = disk });
	return disk;
}

uint64_t disk_requests(const struct disk *disk)
{
	return disk->next;
}

void disk_destroy(struct disk *disk)
{
	if (!disk) {
		return;
	}
	pthread_mutex_lock(&disk->lock);
	disk->ends = true;
	pthread_cond_signal(&disk->submitted);
	pthread_mutex_unlock(&disk->lock);
	pthread_join(disk->thread, NULL);
	pthread_cond_destroy(&disk->submitted);
	pthread_mutex_destroy(&disk->lock);
	free(disk);
}
