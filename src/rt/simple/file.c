/* SPDX-License-Identifier: MIT */
/*
 * Writing to the file of the sink `simple`. While no write is under way, the file consists of whole
 * records. If a full disk cuts a write, the file is cut back to a whole record and a little
 * further, so that a note of the missing events fits after it. The next batch that fits replaces
 * that note by a final one.
 *
 * System calls are made directly, because a thread with its own table of descriptors must not use
 * wrappers in which sanitizers track descriptors, and so that none of them is a cancellation point
 * for a caller that drains itself.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/host/open.h"
#include "rt/host/write.h"
#include "rt/record/process.h"
#include "rt/simple/simple.h"
#include "rt/simple/state.h"

/* Bytes of a mapping up to its name; the shortest record is not shorter. */
#define MAPPING_BYTES 20

/*
 * How long to wait for the reader of a pipe: at one time, and altogether in a thread of the
 * program.
 */
#define READY_WAIT_NS 100000000
#define CALLER_PATIENCE_NS UINT64_C(3000000000)

/* Distance of the known boundary of records from the end, in which some short records fit. */
#define BOUNDARY_BYTES 256u

/*
 * True if the descriptor still refers to the file: the program may have closed a descriptor that
 * had to be shared.
 */
static bool is_ours(const struct simple_out *out)
{
	struct stat st;

	return waymark_stat(simple_fd(out), &st) == 0 && st.st_dev == out->file.device &&
	       st.st_ino == out->file.inode;
}

/*
 * Waits for the reader of a pipe. The writer waits without limit; a thread of the program that
 * drains instead of a writer has all signals blocked, so it stops waiting after CALLER_PATIENCE_NS.
 */
static bool wait_for_reader(const struct simple_out *out, uint64_t since)
{
	struct process *p = waymark_process_current();
	bool is_writer = p && __atomic_load_n(&p->writer_tid, __ATOMIC_RELAXED) ==
				      (uint32_t)syscall(SYS_gettid);

	return waymark_wait_writable(simple_fd(out), READY_WAIT_NS) > 0 || is_writer ||
	       waymark_clock_ns() - since < CALLER_PATIENCE_NS;
}

static size_t raw_write(struct simple_out *out, const char *data, size_t length)
{
	uint64_t since = waymark_clock_ns();
	size_t done = 0;

	while (done < length) {
		long n = syscall(SYS_write, simple_fd(out), data + done, length - done);
		int why = n < 0 ? errno : EIO;

		if (n < 0 && why == EAGAIN && wait_for_reader(out, since)) {
			continue;
		}
		__atomic_store_n(&out->progress, out->progress + 1, __ATOMIC_RELAXED);
		if (n > 0) {
			done += (size_t)n;
		} else if (why != EINTR) {
			waymark_simple_complain(out, SIMPLE_CANNOT_WRITE, why);
			break;
		}
	}
	return done;
}

/* Cuts the file to `size` if it can be cut; the next write begins there. */
static void set_size(struct simple_out *out, uint64_t size)
{
	out->file.size = size;
	out->file.note = 0;
	if (out->file.regular && ftruncate(simple_fd(out), (off_t)size) == 0) {
		lseek(simple_fd(out), (off_t)size, SEEK_SET);
	}
}

static bool write_header(struct simple_out *out)
{
	struct simple_header h = { SIMPLE_HEADER_ID, SIMPLE_MAGIC, SIMPLE_VERSION };

	if (raw_write(out, (const char *)&h, sizeof(h)) != sizeof(h)) {
		set_size(out, 0);
		return false;
	}
	out->file.size = out->file.boundary = sizeof(h);
	__atomic_store_n(&out->file.begun, true, __ATOMIC_RELAXED);
	return true;
}

/*
 * Returns the length of a record in the batch, including its type word. `events` gets the number of
 * events that it stands for.
 */
static size_t record_length(const char *at, uint64_t *events, bool *is_gap)
{
	uint64_t type;
	struct simple_record r;
	uint32_t name;

	memcpy(&type, at, sizeof(type));
	*events = 0;
	*is_gap = false;
	if (type == SIMPLE_MAPPING) {
		memcpy(&name, at + 2 * sizeof(uint64_t), sizeof(name));
		return 2 * sizeof(uint64_t) + sizeof(name) + name;
	}
	memcpy(&r, at + sizeof(type), sizeof(r));
	*events = 1;
	*is_gap = r.id == SIMPLE_DROPPED_ID;
	if (*is_gap) {
		memcpy(events, at + sizeof(type) + sizeof(r), sizeof(*events));
	}
	return sizeof(type) + r.length;
}

/*
 * Call if only `done` of `length` bytes were written. Counts the events of the rest as missing, and
 * returns the bytes of whole records that were written.
 */
static size_t count_rest(struct simple_out *out, const char *data, size_t done, size_t length)
{
	uint64_t unwritten = 0;
	size_t whole = 0;

	for (size_t at = 0; at < length;) {
		uint64_t events;
		bool is_gap;

		at += record_length(data + at, &events, &is_gap);
		if (at <= done) {
			whole = at;
			continue;
		}
		out->unreported += events;
		unwritten += is_gap ? 0 : events;
	}
	__atomic_store_n(&out->unwritten, out->unwritten + unwritten, __ATOMIC_RELAXED);
	return whole;
}

/* Returns the time of the first event among records; events missing before it were earlier. */
static uint64_t first_ns(const char *at, const char *end)
{
	struct simple_record r = { 0 };
	uint64_t type = SIMPLE_MAPPING;
	uint64_t events;
	bool is_gap;

	for (; at < end && type == SIMPLE_MAPPING; at += record_length(at, &events, &is_gap)) {
		memcpy(&type, at, sizeof(type));
		memcpy(&r, at + sizeof(type), sizeof(r));
	}
	return r.ns;
}

/* Reads the beginning of a record of the file; returns its length, 0 on failure. */
static size_t read_record(int fd, uint64_t offset, char head[SIMPLE_GAP_BYTES])
{
	uint64_t events;
	bool is_gap;

	memset(head, 0, SIMPLE_GAP_BYTES);
	if (lseek(fd, (off_t)offset, SEEK_SET) < 0 ||
		syscall(SYS_read, fd, head, SIMPLE_GAP_BYTES) < MAPPING_BYTES) {
		return 0;
	}
	return record_length(head, &events, &is_gap);
}

/* Returns the last place of the file where a record begins and a note fits; 0 if there is none. */
static uint64_t find_room(int fd, const struct simple_file *f)
{
	char head[SIMPLE_GAP_BYTES];
	uint64_t room = 0;
	size_t length = 1;

	for (uint64_t at = f->boundary; at + SIMPLE_GAP_BYTES <= f->size && length; at += length) {
		room = at;
		length = read_record(fd, at, head);
	}
	return length ? room : 0;
}

/*
 * Call if the disk is so full that not even a note fits after the last record. Drops the last
 * records: returns where the file must be cut; `ns` gets the time of the first event that is
 * missing then.
 */
static uint64_t give_up_tail(struct simple_out *out, uint64_t *ns)
{
	const struct simple_file *f = &out->file;
	int fd = waymark_simple_open_again(out);
	uint64_t room = fd >= 0 ? find_room(fd, f) : 0;
	uint64_t unreported = out->unreported;
	size_t length = 0;

	for (uint64_t at = room; room && at < f->size; at += length) {
		char head[SIMPLE_GAP_BYTES];

		length = read_record(fd, at, head);
		if (!length) {
			room = 0;
			break;
		}
		count_rest(out, head, 0, 1);
		if (unreported &&
			out->unreported > unreported) { /* the first event; names do not count */
			*ns = first_ns(head, head + 1);
			unreported = 0;
		}
	}
	if (fd >= 0) {
		syscall(SYS_close, fd);
	}
	return room ? room : f->size;
}

/* Writes a note of the events that are missing; `to` has SIMPLE_GAP_BYTES of room. */
static void make_note(const struct simple_out *out, char *to, uint64_t ns)
{
	uint64_t type = SIMPLE_EVENT;
	uint64_t count = out->unreported;
	struct simple_record r = { SIMPLE_DROPPED_ID, ns, sizeof(r) + sizeof(count), out->pid };

	memcpy(to, &type, sizeof(type));
	memcpy(to + sizeof(type), &r, sizeof(r));
	memcpy(to + sizeof(type) + sizeof(r), &count, sizeof(count));
}

/* Puts a note of events that are missing into the room before the batch. */
static const char *with_note(struct simple_out *out)
{
	const char *records = out->batch + SIMPLE_GAP_BYTES;

	if (!out->unreported) {
		return records;
	}
	make_note(out, out->batch, first_ns(records, records + out->fill));
	out->unreported = 0;
	return out->batch;
}

/*
 * Ends a file that took no more with a note of losses, for which the caller left room, in case no
 * batch follows. The next batch begins with the same note, updated, and replaces it.
 */
static void end_with_note(struct simple_out *out, uint64_t ns)
{
	struct simple_file *f = &out->file;
	char note[SIMPLE_GAP_BYTES];

	if (!f->regular) {
		return;
	}
	make_note(out, note, ns);
	if (raw_write(out, note, sizeof(note)) != sizeof(note)) {
		set_size(out, f->size);
		return;
	}
	f->note = sizeof(note);
	lseek(simple_fd(out), (off_t)f->size, SEEK_SET);
}

/* Cuts off the beginning of a record, unless another process has appended to the file since. */
static void cut_shared(const struct simple_out *out, size_t torn)
{
	off_t end = lseek(simple_fd(out), 0, SEEK_CUR);
	struct stat st;

	if (torn && end >= 0 && waymark_stat(simple_fd(out), &st) == 0 && st.st_size == end) {
		(void)!ftruncate(simple_fd(out), end - (off_t)torn);
	}
}

/* Call if only `done` bytes of a batch were written. */
static void cut_batch(struct simple_out *out, const char *data, size_t done, size_t length)
{
	bool regular = out->file.regular;
	size_t room = done > SIMPLE_GAP_BYTES ? done - SIMPLE_GAP_BYTES : 0;
	size_t kept = count_rest(out, data, regular ? room : done, length);
	if (simple_is_shared(out->config)) {
		cut_shared(out, done - kept);
	}
	uint64_t ns = first_ns(data + kept, data + length);
	uint64_t end = out->file.size + kept;

	if (regular && done < SIMPLE_GAP_BYTES) {
		end = give_up_tail(out, &ns);
	}
	set_size(out, end);
	end_with_note(out, ns);
	out->generation++; /* names may have been cut off: they are written again */
}

static void write_batch(struct simple_out *out)
{
	struct simple_file *f = &out->file;
	const char *data = with_note(out);
	size_t length = (size_t)(out->batch + SIMPLE_GAP_BYTES + out->fill - data);
	size_t done = raw_write(out, data, length);

	if (done < length) {
		cut_batch(out, data, done, length);
		return;
	}
	if (f->size - f->boundary >= BOUNDARY_BYTES) {
		f->boundary = f->size;
	}
	f->size += length;
	f->note = 0;
	__atomic_store_n(&out->error, 0, __ATOMIC_RELAXED);
}

void waymark_simple_write(struct simple_out *out)
{
	if (!out->fill) {
		return;
	}
	if (out->off) {
		out->generation++;
	} else {
		if (out->file.fd_plus_one && !is_ours(out)) {
			out->file.fd_plus_one = 0;
		}
		if ((out->file.fd_plus_one || waymark_simple_open(out)) &&
			(out->file.begun || write_header(out))) {
			write_batch(out);
		} else {
			count_rest(out, out->batch + SIMPLE_GAP_BYTES, 0, out->fill);
			out->generation++;
		}
	}
	out->fill = 0;
}

void waymark_simple_pause(struct simple_out *out)
{
	if (out->file.fd_plus_one && is_ours(out)) {
		syscall(SYS_close, simple_fd(out));
	}
	out->file.fd_plus_one = 0;
}

/* Changes to another file: finishes the old one, whose missing events are not the new one's. */
static void change_file(struct simple_out *out, const struct simple_config *config)
{
	waymark_simple_pause(out);
	waymark_simple_forget(out);
	__atomic_store_n(&out->file.number, 0, __ATOMIC_RELAXED); /* control calls read it */
	out->unreported = 0;
	out->complained = 0;
	out->retry_ns = 0;
	out->config = config;
}

/* Continues in the file, which has the configuration's name already. */
static void keep_file(struct simple_out *out, const struct simple_config *config)
{
	if (simple_is_named(config)) {
		__atomic_store_n(&out->file.number, 0, __ATOMIC_RELAXED);
	}
	out->config = config;
	if (config->shared) {
		waymark_simple_share_file(out);
	}
}

void waymark_simple_sync(struct simple_out *out)
{
	const struct simple_config *config = waymark_simple_config();
	bool off = waymark_simple_is_off();

	if (!out->pid) {
		out->pid = (uint32_t)getpid();
		out->generation = 1;
	}
	if (config != out->config) {
		waymark_simple_write(out); /* the records so far; the file may begin with them */
		if (config->goes_on && out->file.begun) {
			keep_file(out, config);
		} else {
			change_file(out, config);
		}
	}
	if (off != out->off) {
		waymark_simple_write(out);
		waymark_simple_pause(out);
		out->off = off;
		if (!off && out->file.begun && !waymark_simple_continue(out)) {
			waymark_simple_forget(out);
		}
	}
}
