/* SPDX-License-Identifier: MIT */
/*
 * The list of threads that have recorded. They go on meanwhile, and come and go:
 * each row is right for its moment (rt/record/cursor.h).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt/host/error.h"
#include "rt/record/process.h"
#include "rt/record/stats.h"

static struct waymark_thread_info *add_row(struct waymark_thread_list *list)
{
	if ((list->count & (list->count - 1)) == 0) {
		size_t room = list->count ? 2 * list->count : 1;
		void *rows = realloc(list->threads, room * sizeof(*list->threads));

		if (!rows) {
			return NULL;
		}
		list->threads = rows;
	}
	struct waymark_thread_info *row = &list->threads[list->count++];

	memset(row, 0, sizeof(*row));
	return row;
}

/* As the system has it; it may have ended since. */
static void read_name(uint32_t tid, char *name, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%u/comm", (unsigned int)tid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		return;
	}
	ssize_t length = read(fd, name, size - 1);

	close(fd);
	name[length > 0 ? length : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

static bool add_thread(struct waymark_thread_list *list, uint32_t tid, const struct tally *t)
{
	if (!(t->recorded | t->lost)) {
		return true;
	}
	struct waymark_thread_info *row = add_row(list);

	if (!row) {
		return false;
	}
	row->tid = tid;
	row->recorded = t->recorded;
	row->lost = t->lost;
	row->bytes = t->bytes;
	if (tid) {
		read_name(tid, row->name, sizeof(row->name));
	}
	return true;
}

static bool add_all(struct waymark_thread_list *list)
{
	struct tally ended = { 0 };
	uint32_t index = 0;

	for (struct slot *s; (s = waymark_slot_next_ever(&index));) {
		struct tally own = { 0 };
		uint32_t tid = waymark_tally_owner(s, &own, &ended);

		if (!add_thread(list, tid, &own)) {
			return false;
		}
	}
	waymark_stats_add_unplaced(waymark_process_current(), &ended);
	return add_thread(list, 0, &ended);
}

static int by_tid(const void *a, const void *b)
{
	const struct waymark_thread_info *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

int waymark_list_threads(struct waymark_thread_list *list, struct waymark_error *error)
{
	*list = (struct waymark_thread_list){ 0 };
	error_clear(error);
	if (!add_all(list)) {
		waymark_free_threads(list);
		return waymark_fail(error, "no memory for a list of threads");
	}
	if (list->count) {
		qsort(list->threads, list->count, sizeof(*list->threads), by_tid);
	}
	return 0;
}

void waymark_free_threads(struct waymark_thread_list *list)
{
	free(list->threads);
	*list = (struct waymark_thread_list){ 0 };
}
