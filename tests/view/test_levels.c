/* SPDX-License-Identifier: MIT */
/*
 * Levels that are made of sections are those of one pass, and what is read of a part is the same
 * with both: test_levels [--far] TRACE... Prints how many sections were joined, and how many were
 * odd. --far: does not read parts, and makes sections a few times only.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "read/merge.h"
#include "timeline/estimate.h"
#include "timeline/near.h"
#include "timeline/section.h"

#define ROUNDS 20
#define PARTS 12
#define BOUNDS_MAX 30
#define READERS 3
#define FEW 7

static const char *const *paths;
static size_t path_count;
static unsigned int joined;
static unsigned int odd;

#define REQUIRE(is_so, ...)                                             \
	do {                                                            \
		if (!(is_so)) {                                         \
			fprintf(stderr, "%s:%d: ", paths[0], __LINE__); \
			fprintf(stderr, __VA_ARGS__);                   \
			fprintf(stderr, "\n");                          \
			exit(EXIT_FAILURE);                             \
		}                                                       \
	} while (0)

static struct reader *open_traces(void)
{
	const struct reader_options options = { 0 };
	struct read_error error;
	struct reader *r = merge_open(paths, path_count, &options, &error);

	REQUIRE(r, "%s", error.text);
	return r;
}

/* Returns the time of the last record as the indexes have it: a damaged one may have a later one.
 */
static int64_t expected_end(const struct reader *r, const struct levels *like)
{
	struct reader_loads loads = { 0 };
	int64_t end_ns = like->first_ns;

	if (!reader_loads(r, &loads)) {
		end_ns = like->last_ns;
	}
	vec_foreach (const struct reader_load *, load, &loads.all) {
		int64_t ns = load->ns + (int64_t)load->span_ns;

		end_ns = ns > end_ns ? ns : end_ns;
	}
	vec_fini(&loads.all);
	return end_ns;
}

/* Makes levels that know the threads of `like`, and what the indexes have of its time. */
static void begin(struct levels *l, struct reader *r, const struct levels *like)
{
	levels_init(l, r);
	if (like) {
		levels_expect(l, like->first_ns, expected_end(r, like));
		vec_foreach (const struct timeline_thread *, t, &like->timeline.threads) {
			const struct timeline_process *p = timeline_process_of(&like->timeline, t);

			timeline_know_thread(&l->timeline, p->trace, p->pid, t->tid);
		}
	}
}

static bool read_all(struct levels *l, struct reader *r)
{
	enum read_result result;
	struct record records[FEW];
	size_t count;

	do {
		count = reader_few(r, records, FEW, &result);
		levels_add(l, records, count);
	} while (result == READ_RECORD);
	return result == READ_END;
}

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Chooses bounds; returns their number. */
static size_t choose(int64_t *bounds, const struct levels *l)
{
	uint64_t length = (uint64_t)(l->last_ns - l->first_ns) + 2;
	size_t count = (size_t)rand() % BOUNDS_MAX;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t at = ((uint64_t)rand() << 31 | (uint64_t)rand()) % length;

		bounds[i] = l->first_ns + (int64_t)at;
	}
	qsort(bounds, count, sizeof(*bounds), by_time);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || bounds[i] > bounds[kept - 1]) {
			bounds[kept++] = bounds[i];
		}
	}
	return kept;
}

/* Reads a section; false if a problem ends it. */
static bool read_section(
	struct level_section *s, struct levels *l, struct reader *again, const int64_t time[2])
{
	enum read_result result;
	struct record records[FEW];

	level_section_begin(s, l, time[0], time[1]);
	reader_section(s->reader, time[0], time[1]);
	do {
		size_t count = reader_few(s->reader, records, FEW, &result);

		level_section_add(s, records, count);
	} while (result == READ_RECORD);
	if (result != READ_END) {
		return false;
	}
	if (level_section_join(s, l)) {
		joined++;
		return true;
	}
	odd++;
	reader_section(again, time[0], time[1]);
	return read_all(l, again);
}

static bool read_sections(struct levels *l, struct reader *again, const struct levels *like)
{
	struct level_section s[READERS];
	int64_t bounds[BOUNDS_MAX];
	size_t count = choose(bounds, like);
	bool ok = true;

	for (size_t i = 0; i < READERS; i++) {
		level_section_init(&s[i], open_traces());
		s[i].spacing = 1 + (size_t)rand() % 60;
	}
	for (size_t i = 0; i <= count && ok; i++) {
		const int64_t time[2] = { i == 0 ? INT64_MIN : bounds[i - 1],
			i == count ? INT64_MAX : bounds[i] };

		ok = read_section(&s[i % READERS], l, again, time);
		if (ok && i < count) {
			l->next = 0; /* each section has a checkpoint */
			levels_check(
				l, &(struct level_point){ .ns = time[1], .records = l->records });
		}
	}
	for (size_t i = 0; i < READERS; i++) {
		struct reader *r = s[i].reader;

		level_section_fini(&s[i]);
		reader_close(r);
	}
	return ok;
}

static void compare_rows(const struct levels *a, const struct level_row *x,
	const struct level_row *y, const char *what)
{
	size_t count = x->count > y->count ? x->count : y->count;

	for (size_t i = 0; i < count; i++) {
		struct level_cell p = i < x->count ? x->cells[i] : (struct level_cell){ 0 };
		struct level_cell q = i < y->count ? y->cells[i] : (struct level_cell){ 0 };

		REQUIRE(p.count == q.count && p.covered == q.covered,
			"%s, step %zu of %zu ns: %u, %" PRIu64 "; %u, %" PRIu64, what, i,
			(size_t)1 << a->shift, p.count, p.covered, q.count, q.covered);
		REQUIRE((p.name == 0) == (q.name == 0), "%s: a name", what);
	}
}

static void compare(const struct levels *a, const struct levels *b)
{
	REQUIRE(a->records == b->records && a->lost == b->lost && a->first_ns == b->first_ns &&
			a->last_ns == b->last_ns && a->shift == b->shift,
		"%" PRIu64 ", %" PRIu64 " records; %" PRIu64 ", %" PRIu64 " lost; to %" PRId64
		", %" PRId64 "; steps of 1 << %u, %u",
		a->records, b->records, a->lost, b->lost, a->last_ns, b->last_ns, a->shift,
		b->shift);
	REQUIRE(a->tracks.count == b->tracks.count, "%zu and %zu tracks", a->tracks.count,
		b->tracks.count);
	for (size_t i = 0; i < a->tracks.count; i++) {
		const struct level_track *x = &a->tracks.items[i];
		const struct level_track *y = &b->tracks.items[i];

		REQUIRE(x->tid == y->tid && x->process == y->process && x->is_lane == y->is_lane &&
				x->slices.count == y->slices.count,
			"track %zu: thread %u, %u; %zu, %zu deep", i, x->tid, y->tid,
			x->slices.count, y->slices.count);
		compare_rows(a, &x->events, &y->events, "events");
		compare_rows(a, &x->losses, &y->losses, "losses");
		for (size_t row = 0; row < x->slices.count; row++) {
			compare_rows(a, &x->slices.items[row], &y->slices.items[row], "slices");
		}
	}
}

/*
 * Returns the first lane of an item's name: a part that begins at a checkpoint numbers the lanes
 * anew.
 */
static uint32_t first_lane(const struct levels *l, uint32_t track)
{
	const struct level_track *t = &l->tracks.items[track];

	return t->is_lane ? levels_lane(l, &l->timeline.processes.items[t->process], t->name, 0)
			  : track;
}

static int by_item(const void *a, const void *b)
{
	const struct near_item *x = a;
	const struct near_item *y = b;
	const int64_t fields[][2] = {
		{ x->track, y->track },
		{ x->kind, y->kind },
		{ x->depth, y->depth },
		{ x->begin_ns, y->begin_ns },
		{ x->end_ns, y->end_ns },
		{ (int64_t)x->offset, (int64_t)y->offset },
		{ x->name, y->name },
		{ x->trace, y->trace },
		{ (int64_t)x->lost, (int64_t)y->lost },
		{ x->is_continued, y->is_continued },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (fields[i][0] != fields[i][1]) {
			return fields[i][0] < fields[i][1] ? -1 : 1;
		}
	}
	return 0;
}

static void read_near(struct near *n, const struct levels *l)
{
	struct reader *r = open_traces();

	struct nearing *nearing = near_begin(n, l, r);

	near_read(nearing);
	near_end(nearing, l);
	REQUIRE(n->problems == 0, "%s", r->error.text);
	reader_close(r);
	for (size_t i = 0; i < n->items.count; i++) {
		n->items.items[i].track = first_lane(l, n->items.items[i].track);
		/* A slice of a checkpoint has no record, and begins where its scope does. */
		if (n->items.items[i].begin_ns < n->from_ns) {
			n->items.items[i].begin_ns = n->from_ns - 1;
			n->items.items[i].offset = 0;
			n->items.items[i].trace = 0;
			n->items.items[i].is_continued = false;
		}
	}
	if (n->items.count > 0) {
		qsort(n->items.items, n->items.count, sizeof(*n->items.items), by_item);
	}
}

static void compare_parts(const struct levels *a, const struct levels *b)
{
	uint64_t length = (uint64_t)(a->last_ns - a->first_ns) + 1;

	for (int i = 0; i < PARTS; i++) {
		struct near x = { .from_ns = a->first_ns + (int64_t)((uint64_t)rand() % length),
			.limit = SIZE_MAX };
		x.to_ns = x.from_ns + (int64_t)((uint64_t)rand() % length / 10);
		struct near y = x;

		read_near(&x, a);
		read_near(&y, b);
		REQUIRE(x.items.count == y.items.count,
			"%zu, %zu items from %" PRId64 " to %" PRId64, x.items.count, y.items.count,
			x.from_ns, x.to_ns);
		for (size_t k = 0; k < x.items.count; k++) {
			const struct near_item *p = &x.items.items[k];
			const struct near_item *q = &y.items.items[k];

			REQUIRE(by_item(p, q) == 0,
				"track %u, %u; depth %u, %u; from %" PRId64 ", %" PRId64
				" to %" PRId64 ", %" PRId64,
				p->track, q->track, p->depth, q->depth, p->begin_ns, q->begin_ns,
				p->end_ns, q->end_ns);
		}
		near_fini(&x);
		near_fini(&y);
	}
}

/* An estimate has all bytes, of the right threads, each in its time. */
static void check_estimate(const struct levels *like)
{
	struct reader *r = open_traces();
	struct reader_loads loads = { 0 };
	struct estimate e;
	struct levels l;
	struct tile t = { 0 };
	uint32_t tracks[1000];
	double before = 0;
	double bytes = 0;

	levels_init(&l, r);
	if (reader_loads(r, &loads) && loads.all.count > 0) {
		levels_expect(&l, like->first_ns, like->last_ns);
		estimate_make(&e, &l, &loads);
		for (uint32_t i = 0; i < l.tracks.count; i++) {
			tracks[i] = i;
		}
		for (int i = 0; i <= 100; i++) {
			double part = estimate_part(
				&e, e.from_ns + (int64_t)((double)(e.to_ns - e.from_ns) / 100 * i));

			REQUIRE(part >= before && part <= 1, "%f after %f", part, before);
			before = part;
		}
		REQUIRE(before > 0.999, "%f at the end", before);
		const struct tile_wish wish = { .from_ns = e.from_ns,
			.to_ns = e.to_ns,
			.columns = 100,
			.tracks = tracks,
			.track_count = l.tracks.count };

		estimate_add(&e, &l, &t, &wish);
		vec_foreach (const struct tile_row *, row, &t.rows) {
			vec_foreach (const struct tile_item *, item, &row->items) {
				bytes += 32.0 * item->count;
			}
		}
		double all = e.sums[e.steps];

		REQUIRE(bytes < all * 1.1 + 32 * (double)t.items &&
				bytes > all * 0.9 - 32 * (double)t.items,
			"%f bytes in the tile, %f in all", bytes, all);
		tile_fini(&t);
		estimate_fini(&e);
	}
	vec_fini(&loads.all);
	levels_fini(&l);
	reader_close(r);
}

int main(int argc, char **argv)
{
	struct levels known;
	struct levels whole;
	struct reader *first;
	struct reader *second;

	bool is_far = argc > 1 && strcmp(argv[1], "--far") == 0;

	paths = (const char *const *)argv + 1 + is_far;
	path_count = (size_t)argc - 1 - is_far;
	srand(1);
	first = open_traces();
	second = open_traces();
	begin(&known, first, NULL);
	REQUIRE(read_all(&known, first), "a problem");
	begin(&whole, second, &known);
	REQUIRE(read_all(&whole, second), "a problem");
	levels_end(&whole);
	check_estimate(&whole);
	for (int i = 0; i < (is_far ? FEW : ROUNDS); i++) {
		struct reader *again = open_traces();
		struct levels parts;

		begin(&parts, again, &known);
		parts.spacing = 1 + (uint64_t)rand() % 60;
		REQUIRE(read_sections(&parts, again, &known), "a problem in a section");
		levels_end(&parts);
		compare(&whole, &parts);
		if (!is_far) {
			compare_parts(&whole, &parts);
		}
		levels_fini(&parts);
		reader_close(again);
	}
	levels_fini(&whole);
	levels_fini(&known);
	reader_close(first);
	reader_close(second);
	printf("%u sections joined, %u odd\n", joined, odd);
	return EXIT_SUCCESS;
}
