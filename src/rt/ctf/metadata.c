/* SPDX-License-Identifier: MIT */
/*
 * The metadata file. It is written whole before the trace has a name. Events that get an id later
 * are appended one by one, and a new file replaces it when the clock's rate is known better. So at
 * any moment a reader finds a whole text, except for an event that is being appended.
 */
#include <errno.h>
#include <sys/utsname.h>

#include "format/ctf_text.h"
#include "format/ctf_text_event.h"
#include "rt/ctf/io.h"
#include "rt/ctf/metadata.h"
#include "rt/event/registry.h"
#include "rt/host/file.h"
#include "rt/record/clock.h"
#include "rt/record/recorder.h"

#define BUFFER_BYTES 2048u
#define ARGS_MAX 32u

/*
 * If the rate was measured for less than the first time, it is measured since the program was
 * loaded instead.
 */
#define RATE_NS UINT64_C(100000000)
#define RATE_NS_LEAST UINT64_C(1000000)

_Static_assert(CTF_TEXT_UNSIGNED == (int)WAYMARK_UNSIGNED &&
		       CTF_TEXT_SIGNED == (int)WAYMARK_SIGNED &&
		       CTF_TEXT_POINTER == (int)WAYMARK_POINTER &&
		       CTF_TEXT_STRING == (int)WAYMARK_STRING &&
		       CTF_TEXT_FLOAT == (int)WAYMARK_FLOAT && CTF_TEXT_TEXT == (int)WAYMARK_TEXT &&
		       CTF_TEXT_BYTES == (int)WAYMARK_BYTES && CTF_TEXT_DEBUG == (int)WAYMARK_DEBUG,
	"kinds go over as they are");
#define DEBUG_KIND(name, label, field, form, bytes) \
	_Static_assert((int)DEBUG_##name == (int)WAYMARK_DEBUG_##name, "and those of debug values");
#include "format/debug.def"
#undef DEBUG_KIND
_Static_assert(DEBUG_NULL == WAYMARK_NULL_STRING, "NULL has the same mark");

/* Memory for writing it: the stack may be a signal handler's. */
struct scratch {
	char buffer[BUFFER_BYTES];
	struct ctf_text_arg args[ARGS_MAX];
	struct utsname host;
};

_Static_assert(sizeof(struct scratch) <= sizeof(((struct ctf_trace *)0)->scratch), "it fits");

/* Text on its way into a file. */
struct output {
	struct ctf_text text;
	struct scratch *scratch;
	int fd;
	struct ctf_area *area; /* memory for the text; NULL: it is written to the file */
	int error; /* errno of the first failure */
	size_t whole; /* bytes of the buffer that are whole events */
	size_t fill;
};

static void write_out(struct output *o, size_t length)
{
	size_t done = 0;

	if (o->area && !o->error) {
		struct ctf_area *to = o->area;

		o->error = length > to->room - to->length ? ENOSPC : 0;
		if (!o->error) {
			memcpy(to->text + to->length, o->scratch->buffer, length);
			to->length += length;
		}
		done = length;
	}
	while (done < length && !o->error) {
		long n = syscall(SYS_write, o->fd, o->scratch->buffer + done, length - done);

		if (n > 0) {
			done += (size_t)n;
		} else if (n == 0 || errno != EINTR) {
			o->error = n ? errno : EIO;
		}
	}
	o->fill -= length;
	o->whole = 0;
	memmove(o->scratch->buffer, o->scratch->buffer + length, o->fill);
}

/*
 * Adds text. Writes whole events to the file first, so that an event is split only if it is longer
 * than the buffer.
 */
static void put(struct ctf_text *t, const char *p, size_t n)
{
	struct output *o = (struct output *)t;

	while (n > 0) {
		size_t room = BUFFER_BYTES - o->fill;
		size_t part = n < room ? n : room;

		memcpy(o->scratch->buffer + o->fill, p, part);
		o->fill += part;
		p += part;
		n -= part;
		if (o->fill == BUFFER_BYTES) {
			write_out(o, o->whole ? o->whole : o->fill);
		}
	}
}

static void output_init(struct output *o, struct ctf_trace *t, int fd)
{
	o->text.put = put;
	o->scratch = (void *)t->scratch;
	o->fd = fd;
	o->area = NULL;
	o->error = 0;
	o->whole = o->fill = 0;
}

/* Ends the output; returns false, with errno, if some of it could not be written. */
static bool output_end(struct output *o)
{
	write_out(o, o->fill);
	errno = o->error;
	return !o->error;
}

/* Reads a line of a small file of the kernel's. */
static void read_line(const char *path, char *line, size_t size)
{
	int fd = ctf_open(AT_FDCWD, path, O_RDONLY);
	long n = fd < 0 ? 0 : syscall(SYS_read, fd, line, size - 1);

	line[n > 0 ? n : 0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	ctf_close(fd);
}

/* The kernel's names of this process and of the host. */
struct names {
	char process[32];
	char boot[48];
	char host[65];
};

/* For a program that enters a jail: read before that. Set by release, once. */
static struct names kept;
static bool has_kept;

static void read_names(struct names *n, struct utsname *host)
{
	read_line("/proc/self/comm", n->process, sizeof(n->process));
	read_line("/proc/sys/kernel/random/boot_id", n->boot, sizeof(n->boot));
	n->host[0] = '\0';
	if (uname(host) == 0) {
		memcpy(n->host, host->nodename, sizeof(n->host));
	}
}

void waymark_ctf_names_keep(void)
{
	struct utsname host;

	read_names(&kept, &host);
	__atomic_store_n(&has_kept, true, __ATOMIC_RELEASE);
}

/*
 * Gives the clock as it is known now: measured since the trace's beginning or longer, or as the
 * processor reports it.
 */
static void find_clock(
	struct ctf_clock *c, const struct buffer_clock *begin, const struct buffer_clock *now)
{
	struct buffer_clock loaded = waymark_clock_loaded();

	c->freq = 0;
	if (now->monotonic_ns - begin->monotonic_ns >= RATE_NS) {
		c->freq = ctf_clock_freq(begin, now);
	} else if (loaded.monotonic_ns &&
		   now->monotonic_ns - loaded.monotonic_ns >= RATE_NS_LEAST) {
		c->freq = ctf_clock_freq(&loaded, now);
	}
	if (!c->freq) {
		c->freq = waymark_clock_nominal();
	}
	if (!c->freq) {
		c->freq = ctf_clock_freq(&loaded, now);
	}
	if (!c->freq) {
		c->freq = CTF_CLOCK_SECOND;
	}
	ctf_clock_place(c, begin);
}

/* Writes the head of the metadata: the process, and its clock as of `now`. */
static void put_head(struct output *o, const struct ctf_trace *t, const struct buffer_clock *now)
{
	static const uint8_t none[16];
	struct ctf_text_trace head = {
		.pid = t->pid, .begin = t->begin, .end = *now, .ended = t->ended
	};
	struct names own;
	const struct names *n = &kept;

	if (!__atomic_load_n(&has_kept, __ATOMIC_ACQUIRE)) {
		read_names(&own, &o->scratch->host);
		n = &own;
	}
	memcpy(head.uuid, t->uuid, sizeof(head.uuid));
	head.former = memcmp(t->former, none, sizeof(none)) ? t->former : NULL;
	head.overwrites = waymark_recorder_policy() == RECORDER_OVERWRITE;
	head.hostname = n->host;
	head.procname = *n->process ? n->process : program_invocation_short_name;
	head.boot_id = n->boot;
	find_clock(&head.clock, &t->begin, now);
	ctf_text_put_head(&o->text, &head);
	o->whole = o->fill;
}

static void put_event(struct output *o, const struct waymark_entry *entry)
{
	struct ctf_text_arg *args = o->scratch->args;
	/*
	 * The end of a declared scope has printf style; the end of a trace point has the style of
	 * its begin.
	 */
	bool is_toml =
		entry->flags & WAYMARK_EVENT_BRACES &&
		(!(entry->flags & WAYMARK_EVENT_SCOPE_END) || entry->flags & WAYMARK_EVENT_SITE);
	struct ctf_text_event event = {
		.id = (uint16_t)entry->id,
		.style = !is_toml			      ? CTF_TEXT_PRINTF
			 : entry->flags & WAYMARK_EVENT_SCOPE ? CTF_TEXT_TOML_SCOPE
							      : CTF_TEXT_TOML_EVENT,
		.name = entry->name,
		.format = entry->format ? entry->format : "",
		.meaning = entry->meaning ? entry->meaning : "",
		.file = entry->file ? entry->file : "",
		.line = entry->line,
		.args = args,
		.arg_count = entry->arg_count < ARGS_MAX ? entry->arg_count : ARGS_MAX,
	};

	for (size_t i = 0; i < event.arg_count; i++) {
		const struct waymark_entry_arg *a = &entry->args[i];

		args[i] = (struct ctf_text_arg){ a->name, a->type, a->kind, a->size };
	}
	ctf_text_put_event(&o->text, &event);
	o->whole = o->fill;
}

/* Writes the events after id `last`; returns the last id. Events are in the order of their ids. */
static uint32_t put_events(struct output *o, uint32_t last)
{
	const struct waymark_entry *entry;

	while (!o->error && (entry = waymark_registry_entry(last + 1))) {
		put_event(o, entry);
		last++;
	}
	return last;
}

bool waymark_ctf_metadata_put(struct ctf_trace *t, struct ctf_area *area)
{
	struct output o;

	output_init(&o, t, -1);
	o.area = area;
	if (area->length == 0) {
		put_head(&o, t, &t->begin);
	}
	uint32_t last = put_events(&o, t->declared);
	bool done = output_end(&o);

	if (done) {
		__atomic_store_n(&t->declared, last, __ATOMIC_RELAXED);
	}
	return done;
}

bool waymark_ctf_metadata_write(
	struct ctf_trace *t, int directory, const char *name, const struct buffer_clock *now)
{
	struct output o;
	int fd = ctf_open(directory, name, O_WRONLY | O_CREAT | O_EXCL);

	if (fd < 0) {
		return false;
	}
	output_init(&o, t, fd);
	put_head(&o, t, now);
	uint32_t last = put_events(&o, 0);
	bool done = output_end(&o);

	ctf_close(fd);
	if (done) {
		__atomic_store_n(&t->declared, last, __ATOMIC_RELAXED);
	} else {
		int why = errno;

		syscall(SYS_unlinkat, directory, name, 0);
		errno = why;
	}
	return done;
}

/* Appends the missing declarations to the file: all of them or none. */
static bool append(struct ctf_trace *t, int fd)
{
	struct output o;
	struct stat st;

	if (waymark_stat(fd, &st)) {
		return false;
	}
	output_init(&o, t, fd);
	uint32_t last = put_events(&o, t->declared);

	if (!output_end(&o)) {
		int why = errno;

		if (ftruncate(fd, st.st_size) == 0) {
			errno = why;
		}
		return false;
	}
	__atomic_store_n(&t->declared, last, __ATOMIC_RELAXED);
	return true;
}

/* Opens the metadata file; the trace's directory is opened only for that. */
static int open_metadata(const struct ctf_trace *t)
{
	int directory = waymark_ctf_open_directory(t);
	int fd = directory < 0 ? -1 : ctf_open(directory, CTF_METADATA, O_WRONLY | O_APPEND);

	ctf_close(directory);
	return fd;
}

bool waymark_ctf_declare(struct ctf_trace *t)
{
	struct guard guard;

	/* Relaxed: a thread that has seen an id either declares it or finds it declared. */
	if (!waymark_registry_entry(__atomic_load_n(&t->declared, __ATOMIC_RELAXED) + 1)) {
		return true;
	}
	waymark_ctf_lock(t, &guard);
	int fd = open_metadata(t);
	bool done = fd >= 0 && append(t, fd);

	ctf_close(fd);
	waymark_ctf_unlock(t, &guard);
	return done;
}

/*
 * Writes a new file in the same directory, after removing one left by a try that was killed or lost
 * its rights. If the removal fails, its errno is reported, not EEXIST.
 */
static bool write_new(struct ctf_trace *t, int directory, const struct buffer_clock *now)
{
	if (syscall(SYS_unlinkat, directory, CTF_METADATA_NEW, 0) != 0 && errno != ENOENT) {
		return false;
	}
	return waymark_ctf_metadata_write(t, directory, CTF_METADATA_NEW, now);
}

static bool replace(struct ctf_trace *t, const struct buffer_clock *now)
{
	int directory = waymark_ctf_open_directory(t);
	uint32_t declared = t->declared;
	bool done = directory >= 0 && write_new(t, directory, now);

	if (done && waymark_rename(directory, CTF_METADATA_NEW, directory, CTF_METADATA) != 0) {
		int why = errno;

		syscall(SYS_unlinkat, directory, CTF_METADATA_NEW, 0);
		__atomic_store_n(&t->declared, declared, __ATOMIC_RELAXED);
		errno = why;
		done = false;
	}
	ctf_close(directory);
	return done;
}

bool waymark_ctf_mark(struct ctf_trace *t, enum ctf_ended ended)
{
	const char digit = (char)('0' + ended);
	int directory = waymark_ctf_open_directory(t);
	int fd = directory < 0 ? -1 : ctf_open(directory, CTF_METADATA, O_WRONLY);
	bool done = fd >= 0 && ctf_write_at(fd, &digit, 1, CTF_TEXT_ENDED_AT);

	t->ended = ended; /* a rewrite of the file includes it */
	ctf_close(directory);
	ctf_close(fd);
	return done;
}

bool waymark_ctf_refine(struct ctf_trace *t, const struct buffer_clock *now)
{
	struct guard guard;

	waymark_ctf_lock(t, &guard);
	bool done = replace(t, now);

	waymark_ctf_unlock(t, &guard);
	return done;
}
