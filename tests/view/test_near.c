/* SPDX-License-Identifier: MIT */
/* Reading a part ends at its limit, which open slices count for, and when it is not wanted any
 * more. */
#include <stdio.h>
#include <stdlib.h>

#include "read/merge.h"
#include "timeline/near.h"

#define REQUIRE(is_so)                                                                \
	do {                                                                          \
		if (!(is_so)) {                                                       \
			fprintf(stderr, "line %d: not true: %s\n", __LINE__, #is_so); \
			exit(EXIT_FAILURE);                                           \
		}                                                                     \
	} while (0)

static struct reader *open_trace(const char *path)
{
	const struct reader_options options = { 0 };
	struct read_error error;
	struct reader *r = merge_open(&path, 1, &options, &error);

	if (!r) {
		fprintf(stderr, "%s\n", error.text);
		exit(EXIT_FAILURE);
	}
	return r;
}

static void read_part(const struct levels *l, const char *path, struct near *n)
{
	struct reader *r = open_trace(path);
	struct nearing *nearing = near_begin(n, l, r);

	near_read(nearing);
	near_end(nearing, l);
	reader_close(r);
}

static void read_all(struct levels *l, struct reader *r)
{
	struct record rec;

	levels_init(l, r);
	while (reader_next(r, &rec) == READ_RECORD) {
		levels_add(l, &rec, 1);
	}
}

int main(int argc, char **argv)
{
	volatile sig_atomic_t is_over = 0;
	struct levels l;

	REQUIRE(argc == 2);
	struct reader *r = open_trace(argv[1]);

	read_all(&l, r);
	struct near all = { .from_ns = l.first_ns, .to_ns = l.last_ns, .limit = SIZE_MAX };

	all.is_over = &is_over;
	read_part(&l, argv[1], &all);
	REQUIRE(all.items.count > 1000 && !all.is_cut);

	struct near few = {
		.from_ns = l.first_ns, .to_ns = l.last_ns, .limit = all.items.count - 1
	};

	read_part(&l, argv[1], &few);
	REQUIRE(few.is_cut && few.items.count <= few.limit);

	/* Before the last record, no slice has ended: what is open counts, too. */
	struct near open = { .from_ns = l.last_ns, .to_ns = l.last_ns, .limit = 1 };

	read_part(&l, argv[1], &open);
	REQUIRE(open.is_cut && open.items.count <= 1);

	struct near none = { .from_ns = l.first_ns, .to_ns = l.last_ns, .limit = SIZE_MAX };

	is_over = 1;
	none.is_over = &is_over;
	read_part(&l, argv[1], &none);
	REQUIRE(none.items.count == 0);
	near_fini(&all);
	near_fini(&few);
	near_fini(&open);
	near_fini(&none);
	levels_fini(&l);
	reader_close(r);
	return EXIT_SUCCESS;
}
