/* SPDX-License-Identifier: MIT */
/*
 * A held trace becomes a folder of traces, one for each process of a family of forks: see
 * family.h. fork() requests it, the consumer moves the files.
 */
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "rt/ctf/family.h"
#include "rt/ctf/io.h"
#include "rt/ctf/metadata.h"
#include "rt/host/file.h"
#include "rt/record/recorder.h"

/*
 * Forked children inherit it. Written under the trace's metadata lock, by the consumer and by
 * threads before they fork. Publishing the folder's configuration is the release.
 */
static struct {
	uint64_t device, inode; /* of the folder, or of a trace that could not become one */
	struct ctf_kin kin[4]; /* the first four processes that forked */
} family;

/*
 * The folder's configuration, allocated in advance because a signal handler, which must not
 * allocate, may fork.
 */
static struct ctf_config *spare; /* by exchange */

struct ctf_config *waymark_ctf_swap_spare(struct ctf_config *config)
{
	return __atomic_exchange_n(&spare, config, __ATOMIC_ACQ_REL);
}

bool waymark_ctf_is_family(const struct stat *st)
{
	return family.inode && st->st_dev == family.device && st->st_ino == family.inode;
}

/* A move of a trace's files from one directory to another. */
struct move {
	int from, to;
	const char *folder; /* a name in `from` that stays there; NULL: none does */
};

static bool is_moved(const struct move *m, const char *name)
{
	return strcmp(name, CTF_INDEX) != 0 && (!m->folder || strcmp(name, m->folder) != 0);
}

static bool link_entry(void *data, const char *name)
{
	const struct move *m = data;

	return !is_moved(m, name) || syscall(SYS_linkat, m->from, name, m->to, name, 0) == 0;
}

static bool unlink_entry(void *data, const char *name)
{
	const struct move *m = data;

	return !is_moved(m, name) || syscall(SYS_unlinkat, m->from, name, 0) == 0;
}

static struct move index_of(const struct move *m)
{
	return (struct move){ ctf_open(m->from, CTF_INDEX, O_RDONLY | O_DIRECTORY),
		ctf_open(m->to, CTF_INDEX, O_RDONLY | O_DIRECTORY), NULL };
}

static void close_move(struct move *m)
{
	ctf_close(m->from);
	ctf_close(m->to);
}

/* Links all of the trace's files into `to`; they are in both directories then. */
static bool link_all(struct move *m)
{
	if (syscall(SYS_mkdirat, m->to, CTF_INDEX, 0777) != 0) {
		return false;
	}
	struct move index = index_of(m);
	bool done = index.from >= 0 && index.to >= 0 &&
		    directory_each(index.from, link_entry, &index) &&
		    directory_each(m->from, link_entry, m);

	close_move(&index);
	return done;
}

/* Removes the files from `from`; they are in `to`, too. */
static void unlink_all(struct move *m)
{
	struct move index = index_of(m);

	if (index.from >= 0) {
		directory_each(index.from, unlink_entry, &index);
	}
	close_move(&index);
	syscall(SYS_unlinkat, m->from, CTF_INDEX, AT_REMOVEDIR);
	directory_each(m->from, unlink_entry, m);
}

/*
 * The move takes effect when the metadata of `from` is removed: for readers `from` is a trace
 * before, and a folder afterwards.
 */
static bool move_all(struct move *m)
{
	if (link_all(m) && syscall(SYS_unlinkat, m->from, CTF_METADATA, 0) == 0) {
		unlink_all(m);
		return true;
	}
	unlink_all(&(struct move){ m->to, m->from, NULL });
	return false;
}

/* Notes the new path of the trace's directory. Under metadata_lock. */
static void set_path(struct ctf_round *round, const char *path)
{
	struct ctf_trace *t = &round->state->trace;

	memmove(t->path, path, strlen(path) + 1);
	waymark_buffer_set_directory(round->buffer, t->path);
}

static bool become_member(
	struct ctf_round *round, const struct ctf_config *config, const char *member)
{
	struct ctf_trace *t = &round->state->trace;
	struct move m = { waymark_ctf_open_directory(t), -1, strrchr(member, '/') + 1 };
	struct stat folder, own;

	if (m.from < 0 || syscall(SYS_mkdirat, m.from, m.folder, 0777) != 0) {
		ctf_close(m.from);
		return false;
	}
	m.to = ctf_open(m.from, m.folder, O_RDONLY | O_DIRECTORY);
	bool done = m.to >= 0 && waymark_stat(m.from, &folder) == 0 &&
		    waymark_stat(m.to, &own) == 0 && move_all(&m);

	if (done) {
		family.device = folder.st_dev;
		family.inode = folder.st_ino;
		t->device = own.st_dev;
		t->inode = own.st_ino;
		t->config = config;
		set_path(round, member);
	} else {
		syscall(SYS_unlinkat, m.from, m.folder, AT_REMOVEDIR);
	}
	close_move(&m);
	return done;
}

void waymark_ctf_serve_share(struct ctf_round *round)
{
	struct ctf_trace *t = &round->state->trace;
	struct ctf_config *config;
	struct guard guard;

	if (!__atomic_exchange_n(&round->state->share, 0, __ATOMIC_ACQ_REL) || !t->path[0] ||
		t->config != waymark_ctf_config() || t->config->is_folder ||
		!(config = waymark_ctf_swap_spare(NULL))) {
		return;
	}
	waymark_ctf_lock(t, &guard);
	strcpy(config->path, t->path);
	config->rotate = t->config->rotate;
	config->keep = t->config->keep;
	bool done = waymark_ctf_member_path(config, t->pid, t->scratch, sizeof(t->scratch)) &&
		    become_member(round, config, t->scratch);

	waymark_ctf_unlock(t, &guard);
	if (done) {
		waymark_ctf_publish(config);
	} else {
		waymark_ctf_swap_spare(config); /* for the next fork */
	}
}

bool waymark_ctf_rename_folder(const struct ctf_config *from, const struct ctf_config *to)
{
	return waymark_ctf_is_as_named(to, from->path) ||
	       waymark_ctf_take_name(from->path, to->path);
}

/* Renames the folder; if that fails, the trace stays in the old one. */
static void follow_folder(struct ctf_round *round, const struct ctf_config *config)
{
	struct ctf_trace *t = &round->state->trace;
	struct ctf_name path;

	if (!waymark_ctf_rename_folder(t->config, config)) {
		round->state->why_refused = errno;
		__atomic_store_n(&round->state->refused, config, __ATOMIC_RELEASE);
		return;
	}
	t->config = config;
	ctf_name_init(&path, t->scratch, sizeof(t->scratch));
	ctf_name_string(&path, config->path);
	ctf_name_string(&path, strrchr(t->path, '/'));
	set_path(round, t->scratch);
}

static bool rename_trace(struct ctf_round *round, const struct ctf_config *config)
{
	struct ctf_trace *t = &round->state->trace;
	struct buffer *b = round->buffer;
	const struct ctf_config *before = t->config;

	t->config = config;
	if (waymark_ctf_is_as_named(config, t->path) ||
		((config->held || !config->path[0]) && strcmp(config->path, before->path) == 0)) {
		return true;
	}
	if (!waymark_ctf_name(t, b->file.traces[buffer_next(b)].directory)) {
		t->config = before;
		return false;
	}
	set_path(round, t->path);
	return true;
}

bool waymark_ctf_take_along(struct ctf_round *round, const struct ctf_config *config)
{
	struct ctf_trace *t = &round->state->trace;
	struct guard guard;
	bool taken = true;

	if (!t->config || !t->config->held || !config || config->is_snapshot) {
		return false;
	}
	waymark_ctf_lock(t, &guard);
	if (config->is_folder) {
		follow_folder(round, config);
	} else {
		taken = rename_trace(round, config);
	}
	waymark_ctf_unlock(t, &guard);
	return taken;
}

/* Notes this process for its children, which remove its memory when it is dead and empty. */
static void note_kin(const struct ctf_trace *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(family.kin); i++) {
		struct ctf_kin *k = &family.kin[i];

		if (!k->pid || k->pid == t->pid) {
			memcpy(k->uuid, t->uuid, sizeof(k->uuid));
			k->pid = t->pid;
			return;
		}
	}
}

void waymark_ctf_share(void)
{
	const struct ctf_config *config = waymark_ctf_config();
	struct ctf_state *state = waymark_ctf_begun();
	struct guard guard;

	if (!state || !config || !config->held) {
		return;
	}
	waymark_ctf_lock(&state->trace, &guard);
	/* The name may belong to a parent whose trace could not become a folder. */
	bool is_kept = state->trace.device == family.device && state->trace.inode == family.inode;
	bool may_move = !config->is_folder && (!family.inode || is_kept);

	waymark_ctf_unlock(&state->trace, &guard);
	__atomic_store_n(&state->share, may_move, __ATOMIC_RELEASE);
	waymark_recorder_flush(); /* needed if the parent ends by _exit() */
	__atomic_store_n(&state->share, 0, __ATOMIC_RELAXED);
	waymark_ctf_lock(&state->trace, &guard);
	if (may_move && !waymark_ctf_config()->is_folder) {
		family.device = state->trace.device;
		family.inode = state->trace.inode;
	}
	note_kin(&state->trace);
	waymark_ctf_unlock(&state->trace, &guard);
}

/* Opens and locks the memory of kin; returns -1 if it must stay. */
static int open_dead(struct ctf_kin *k, struct buffer_place *place)
{
	memcpy(place->uuid, k->uuid, sizeof(place->uuid));
	int fd = waymark_buffer_open_dead(place);

	if (fd < 0 && errno == ENOENT) {
		k->pid = 0; /* it has removed its memory itself */
	}
	return fd;
}

static bool mark_finished(struct ctf_trace *t, uint32_t pid)
{
	const struct ctf_config *config = waymark_ctf_config();
	struct stat st;

	if (!config || !config->is_folder ||
		!waymark_ctf_member_path(config, pid, t->path, sizeof(t->path))) {
		return false;
	}
	int directory = ctf_open_directory(t->path);
	bool found = directory >= 0 && waymark_stat(directory, &st) == 0;

	ctf_close(directory);
	if (found) {
		t->device = st.st_dev;
		t->inode = st.st_ino;
	}
	return found && waymark_ctf_mark(t, CTF_FINISHED);
}

void waymark_ctf_finish_kin(struct ctf_state *state)
{
	struct ctf_trace *t = &state->next; /* scratch memory, while no next trace is made */
	struct guard guard;

	waymark_ctf_lock(&state->trace, &guard);
	for (size_t i = 0; i < ARRAY_SIZE(family.kin); i++) {
		struct ctf_kin *k = &family.kin[i];
		struct buffer_place place = { .path = t->scratch };
		int fd = k->pid ? open_dead(k, &place) : -1;

		if (fd >= 0 && mark_finished(t, k->pid)) {
			syscall(SYS_unlinkat, AT_FDCWD, place.path, 0);
			k->pid = 0;
		}
		ctf_close(fd);
	}
	waymark_ctf_unlock(&state->trace, &guard);
}
