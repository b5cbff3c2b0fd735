/* SPDX-License-Identifier: MIT */
/*
 * pairs SCOPES TRACE: reads synchronous scopes with the reader's C API and pairs them by process,
 * thread and id. Checks that each end has the name and id of the scope that its thread began last;
 * that ids are unique; that no scope is open at the end, or lost; and that scopes nest at most
 * eight deep, plus two for each signal handler.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <waymark/reader.h>

#define THREADS_MAX 32
#define DEPTH_MAX (8 + 2 * 4)
#define FIRST_ID (INT64_C(1) << 32)
#define IDS (INT64_C(1) << 28)

struct open_scope {
	int64_t id;
	const char *name; /* owned by the reader, valid while it is open */
	uint64_t time;
};

struct thread {
	uint32_t pid;
	uint32_t tid;
	unsigned int depth;
	struct open_scope open[DEPTH_MAX];
};

struct pairs {
	struct thread threads[THREADS_MAX];
	size_t thread_count;
	unsigned char *seen; /* a bit per id */
	uint64_t begun;
	uint64_t ended;
	unsigned int deepest;
};

static bool bad(const struct waymark_reader *r, int64_t id, const char *what)
{
	printf("at %llu: %s %lld of thread %u: %s\n", (unsigned long long)waymark_reader_time(r),
		waymark_reader_name(r), (long long)id, waymark_reader_tid(r), what);
	return false;
}

static struct thread *find_thread(struct pairs *p, const struct waymark_reader *r)
{
	uint32_t pid = waymark_reader_pid(r);
	uint32_t tid = waymark_reader_tid(r);
	size_t i = 0;

	while (i < p->thread_count && (p->threads[i].pid != pid || p->threads[i].tid != tid)) {
		i++;
	}
	if (i == p->thread_count && i < THREADS_MAX) {
		p->threads[p->thread_count++] = (struct thread){ .pid = pid, .tid = tid };
	}
	return i < THREADS_MAX ? &p->threads[i] : NULL;
}

static bool is_new(struct pairs *p, int64_t id)
{
	if (id < FIRST_ID || id - FIRST_ID >= IDS) {
		return false;
	}
	unsigned char *byte = &p->seen[(id - FIRST_ID) / 8];
	unsigned char bit = (unsigned char)(1u << (id - FIRST_ID) % 8);
	bool was = *byte & bit;

	*byte |= bit;
	return !was;
}

static bool begin(struct pairs *p, struct thread *t, const struct waymark_reader *r, int64_t id)
{
	if (!is_new(p, id)) {
		return bad(r, id, "this id was there before, or is none");
	}
	if (t->depth == DEPTH_MAX) {
		return bad(r, id, "too deep");
	}
	t->open[t->depth++] =
		(struct open_scope){ id, waymark_reader_name(r), waymark_reader_time(r) };
	p->deepest = t->depth > p->deepest ? t->depth : p->deepest;
	p->begun++;
	return true;
}

static bool end(struct pairs *p, struct thread *t, struct waymark_reader *r, int64_t id)
{
	const char *name = waymark_reader_name(r);

	if (t->depth == 0) {
		return bad(r, id, "ends, but none is open");
	}
	const struct open_scope *s = &t->open[--t->depth];

	if (s->id != id || strncmp(name, s->name, strlen(s->name)) != 0 ||
		strcmp(name + strlen(s->name), "_end") != 0) {
		return bad(r, id, "ends, but another one was begun last");
	}
	if (waymark_reader_u64(r, 1) != t->tid || waymark_reader_time(r) < s->time) {
		return bad(r, id, "ends on another thread, or before it begins");
	}
	p->ended++;
	return true;
}

static bool take(struct pairs *p, struct waymark_reader *r)
{
	struct thread *t = find_thread(p, r);
	int64_t id = waymark_reader_i64(r, 0);

	if (!t) {
		return bad(r, id, "too many threads");
	}
	return waymark_reader_field_find(r, "scope_tid") == 1 ? end(p, t, r, id)
							      : begin(p, t, r, id);
}

static bool take_all(struct pairs *p, struct waymark_reader *r)
{
	bool good = true;
	int found;

	while (good && (found = waymark_reader_next(r)) != WAYMARK_READ_END) {
		good = found == WAYMARK_READ_EVENT && take(p, r);
		if (found != WAYMARK_READ_EVENT) {
			printf("%s\n", found == WAYMARK_READ_GAP ? "events were lost"
								 : waymark_reader_error(r));
		}
	}
	for (size_t i = 0; good && i < p->thread_count; i++) {
		good = p->threads[i].depth == 0;
	}
	return good;
}

int main(int argc, char **argv)
{
	struct pairs p = { .seen = calloc(IDS / 8, 1) };
	char error[512];
	uint64_t wanted = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	struct waymark_reader *r =
		argc == 3 ? waymark_reader_open(argv[2], NULL, error, sizeof(error)) : NULL;

	if (!r || !p.seen) {
		printf("%s\n", argc == 3 ? error : "usage: pairs SCOPES TRACE");
		return EXIT_FAILURE;
	}
	bool good = take_all(&p, r);

	waymark_reader_close(r);
	free(p.seen);
	printf("%llu begun, %llu ended, of %llu; %zu threads, %u deep\n",
		(unsigned long long)p.begun, (unsigned long long)p.ended,
		(unsigned long long)wanted, p.thread_count, p.deepest);
	return good && p.begun == wanted && p.ended == wanted ? EXIT_SUCCESS : EXIT_FAILURE;
}
