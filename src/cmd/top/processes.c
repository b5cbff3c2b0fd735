/* SPDX-License-Identifier: MIT */
/*
 * The processes that record into memory, by the buffer files under /dev/shm. A process notes its
 * counts and the time in its buffer ten times a second: two looks give its rate.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/top/top.h"
#include "text/nearest.h"

/* A jail also has buffers that no process records into yet. */
static bool is_shown(const struct leftover *o)
{
	return !(o->is_jailed && !o->has_trace) && o->state == LEFTOVER_ALIVE && !o->error &&
	       (o->uid == geteuid() || geteuid() == 0);
}

/* Sets the rate if the process noted its counts since; else keeps the rate of before. */
static void set_rate(struct top_process *p, const struct top_process *before)
{
	const struct leftover *old = &before->it;
	uint64_t ns = p->it.totals_ns - old->totals_ns;

	if (p->it.totals.events == 0) {
		return;
	}
	p->has_rate = ns > 0 || before->has_rate;
	p->rate = ns > 0 ? (double)(p->it.totals.recorded - old->totals.recorded) / (double)ns * 1e9
			 : before->rate;
}

void top_processes_find(struct top_processes *list)
{
	struct top_processes now = { 0 };

	leftovers_find(&now.found);
	vec_foreach (const struct leftover *, o, &now.found.all) {
		struct top_process p = { .it = *o };

		vec_foreach (const struct top_process *, b, &list->all) {
			if (b->it.pid == o->pid && strcmp(b->it.path, o->path) == 0) {
				set_rate(&p, b);
			}
		}
		if (is_shown(o)) {
			vec_push(&now.all, p);
		}
	}
	top_processes_fini(list);
	*list = now;
}

void top_processes_fini(struct top_processes *list)
{
	vec_fini(&list->all);
	leftovers_fini(&list->found);
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_pid(const void *va, const void *vb)
{
	const struct top_process *a = va;
	const struct top_process *b = vb;

	return compare(a->it.pid, b->it.pid);
}

static int by_name(const void *va, const void *vb)
{
	const struct top_process *a = va;
	const struct top_process *b = vb;
	int order = strcmp(a->it.command, b->it.command);

	return order ? order : by_pid(va, vb);
}

static int by_rate(const void *va, const void *vb)
{
	const struct top_process *a = va;
	const struct top_process *b = vb;

	return a->rate < b->rate ? 1 : a->rate > b->rate ? -1 : by_pid(va, vb);
}

static int by_events(const void *va, const void *vb)
{
	const struct top_process *a = va;
	const struct top_process *b = vb;
	int order = compare(b->it.totals.recorded, a->it.totals.recorded);

	return order ? order : by_pid(va, vb);
}

static int by_lost(const void *va, const void *vb)
{
	const struct top_process *a = va;
	const struct top_process *b = vb;
	int order = compare(b->it.totals.lost, a->it.totals.lost);

	return order ? order : by_rate(va, vb);
}

void top_processes_sort(struct top_processes *list, enum rates_order order)
{
	static int (*const orders[])(const void *, const void *) = {
		[RATES_ORDER_RATE] = by_rate,
		[RATES_ORDER_EVENTS] = by_events,
		[RATES_ORDER_LOST] = by_lost,
		[RATES_ORDER_P99] = by_rate,
		[RATES_ORDER_NAME] = by_name,
	};

	if (list->all.count > 0) {
		qsort(list->all.items, list->all.count, sizeof(*list->all.items), orders[order]);
	}
}

/* ---- The target of the command line ---- */

static bool is_called(const struct leftover *o, const char *name)
{
	return strcmp(o->command, name) == 0;
}

static bool has_part(const struct leftover *o, const char *part)
{
	return *part && strstr(o->command, part);
}

static bool has_pid(const struct leftover *o, const char *pid)
{
	return o->pid == strtoul(pid, NULL, 10);
}

static bool is_at(const struct leftover *o, const char *path)
{
	return leftover_is_place(o->directory, path);
}

/* Moves the processes that `meets` accepts to the front; returns their number. */
static size_t choose(struct top_processes *list, const char *target,
	bool (*meets)(const struct leftover *o, const char *target))
{
	size_t count = 0;

	for (size_t i = 0; i < list->all.count; i++) {
		if (meets(&list->all.items[i].it, target)) {
			struct top_process met = list->all.items[i];

			list->all.items[i] = list->all.items[count];
			list->all.items[count++] = met;
		}
	}
	return count;
}

static bool fail_several(const struct top_processes *list, size_t count, const char *target,
	struct read_error *error)
{
	char text[256] = "";
	size_t used = 0;
	size_t i = 0;

	for (; i < count && used < sizeof(text) - 100; i++) {
		const struct leftover *o = &list->all.items[i].it;

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%" PRIu32 " (%.60s)",
			i ? ", " : "", o->pid, o->command);
	}
	read_error_set(error, "%zu processes fit '%.60s': give the pid of one: %s%s", count, target,
		text, i < count ? ", ..." : "");
	return false;
}

static bool fail_pid(const char *target, struct read_error *error)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%.20s", target);
	if (stat(path, &st) != 0) {
		read_error_set(error, "there is no process %.20s", target);
	} else if (st.st_uid != geteuid() && geteuid() != 0) {
		read_error_set(error,
			"process %.20s belongs to another user: watch it as that user", target);
	} else {
		read_error_set(error,
			"process %.20s does not record into memory: 'waymark top --once' lists those "
			"that do; if its buffer is in its trace, give the trace's directory",
			target);
	}
	return false;
}

static bool fail_none(
	const struct top_processes *list, const char *target, struct read_error *error)
{
	const char **names = xcalloc(list->all.count + 1, sizeof(*names));

	for (size_t i = 0; i < list->all.count; i++) {
		names[i] = list->all.items[i].it.command;
	}
	const char *near =
		nearest_name((struct span){ target, strlen(target) }, names, list->all.count);

	read_error_set(error, "no process that records is called '%.100s': %s%s%s", target,
		near ? "did you mean '" : "'waymark top --once' lists those that do",
		near ? near : "", near ? "'?" : "");
	free(names);
	return false;
}

/* Takes a directory: of a process's trace, or of a trace whose buffer is inside it. */
static size_t choose_place(struct top_processes *list, const char *target, struct leftover *found)
{
	struct stat st;
	size_t count = choose(list, target, is_at);

	if (count > 0 || stat(target, &st) != 0 || !(S_ISDIR(st.st_mode) || strchr(target, '/'))) {
		return count;
	}
	*found = (struct leftover){ 0 };
	snprintf(found->directory, sizeof(found->directory), "%s", target);
	return 0;
}

static bool find(struct top_processes *list, const char *target, struct leftover *found,
	struct read_error *error)
{
	bool is_pid = *target && !target[strspn(target, "0123456789")];
	size_t count = choose(list, target, is_pid ? has_pid : is_called);

	if (!count && !is_pid) {
		count = choose_place(list, target, found);
	}
	if (!count && found->directory[0]) {
		return true;
	}
	if (!count && !is_pid && !strchr(target, '/')) {
		count = choose(list, target, has_part);
	}
	if (count > 1) {
		return fail_several(list, count, target, error);
	}
	if (count == 1) {
		*found = list->all.items[0].it;
		found->path = xstrdup(found->path);
		return true;
	}
	if (strchr(target, '/')) {
		read_error_set(error, "%.200s: %s", target, strerror(ENOENT));
		return false;
	}
	return is_pid ? fail_pid(target, error) : fail_none(list, target, error);
}

bool top_process_find(const char *target, struct leftover *found, struct read_error *error)
{
	struct top_processes list = { 0 };

	*found = (struct leftover){ 0 };
	top_processes_find(&list);
	bool is_found = find(&list, target, found, error);

	top_processes_fini(&list);
	return is_found;
}
