/* SPDX-License-Identifier: MIT */
/*
 * Plans sections by the headers of packets, and runs the threads. A thread that has read its
 * section waits for its turn to deliver it, so at most one section for each thread is in memory.
 */
#include "read/sections.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

/*
 * Bytes of packets in a section: some packets, as the first ones are read in two sections if they
 * overlap; little enough to keep the text.
 */
#define SECTION_BYTES_MIN ((uint64_t)1 << 20)
#define SECTION_BYTES_MAX ((uint64_t)4 << 20)
#define SECTION_PACKETS 4

/* Fewer sections are not worth a thread. */
#define SECTIONS_MIN 3

/*
 * Sections of sections_divide(): that many for each thread, of a trace that is long enough. What is
 * open between two sections costs at each delivery, so a long trace has longer ones.
 */
#define SECTIONS_EACH 16
#define SECTION_BYTES_EACH ((uint64_t)16 << 20)

/* The longest section of sections_divide(). */
#define SECTION_BYTES_LONG ((uint64_t)64 << 20)

/* Returns the number of processors that this process may use. */
static unsigned int processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned int)CPU_COUNT(&set) : 1;
}

static int by_time(const void *a, const void *b)
{
	const struct reader_load *x = a;
	const struct reader_load *y = b;

	return (x->ns > y->ns) - (x->ns < y->ns);
}

/* Returns the bytes of a section. */
static uint64_t section_bytes(const struct reader_loads *loads)
{
	uint64_t bytes = SECTION_BYTES_MIN;

	vec_foreach (const struct reader_load *, load, &loads->all) {
		bytes = SECTION_PACKETS * load->bytes > bytes ? SECTION_PACKETS * load->bytes
							      : bytes;
	}
	return bytes < SECTION_BYTES_MAX ? bytes : SECTION_BYTES_MAX;
}

/* Adds the begins of sections after the first one. */
static void divide(struct sections *s, struct reader_loads *loads, uint64_t wanted)
{
	uint64_t bytes = 0;

	s->begins.count = 0;
	vec_push(&s->begins, INT64_MIN);
	qsort(loads->all.items, loads->all.count, sizeof(*loads->all.items), by_time);
	vec_foreach (const struct reader_load *, load, &loads->all) {
		int64_t last = s->begins.items[s->begins.count - 1];

		if (bytes >= wanted && load->ns > last && load->ns > loads->all.items[0].ns) {
			/* Behind the begin, as the packet before may end at that very time. */
			vec_push(&s->begins, load->ns + 1);
			bytes = 0;
		}
		bytes += load->bytes;
	}
}

/*
 * True if threads would pass many events that others read: a packet that is in several sections is
 * passed by each of them up to its own.
 */
static bool overlaps(const struct sections *s, const struct reader_loads *loads)
{
	const struct reader_load *all = loads->all.items;
	double ns = (double)(uint64_t)(all[loads->all.count - 1].ns - all[0].ns);
	double section_ns = ns / (double)s->begins.count;
	double passed = 0;
	double bytes = 0;

	vec_foreach (const struct reader_load *, load, &loads->all) {
		bytes += (double)load->bytes;
		passed += (double)load->bytes * ((double)load->span_ns / section_ns);
	}
	return passed > bytes;
}

void sections_plan(struct sections *s, const struct reader *r)
{
	struct reader_loads loads = { 0 };
	unsigned int most = processors();

	*s = (struct sections){ 0 };
	most = most < SECTIONS_THREADS_MAX ? most : SECTIONS_THREADS_MAX;
	vec_push(&s->begins, INT64_MIN);
	if (most > 1 && reader_loads(r, &loads) && loads.all.count > 0) {
		divide(s, &loads, section_bytes(&loads));
		if (s->begins.count < SECTIONS_MIN || overlaps(s, &loads)) {
			s->begins.count = 1;
		}
	}
	vec_fini(&loads.all);
	s->threads = s->begins.count < most ? (unsigned int)s->begins.count : most;
}

/* Returns the bytes of a section that are enough work between two deliveries. */
static uint64_t enough_bytes(const struct reader_loads *loads, unsigned int threads)
{
	uint64_t bytes = 0;

	vec_foreach (const struct reader_load *, load, &loads->all) {
		bytes += load->bytes;
	}
	bytes /= (uint64_t)SECTIONS_EACH * threads;
	bytes = bytes < SECTION_BYTES_EACH ? bytes : SECTION_BYTES_EACH;
	return bytes > SECTION_BYTES_MAX ? bytes : SECTION_BYTES_MAX;
}

void sections_divide(struct sections *s, struct reader_loads *loads)
{
	unsigned int most = processors();

	*s = (struct sections){ 0 };
	most = most < SECTIONS_THREADS_MAX ? most : SECTIONS_THREADS_MAX;

	uint64_t wanted = enough_bytes(loads, most);

	for (; most > 1 && wanted <= SECTION_BYTES_LONG; wanted *= 2) {
		divide(s, loads, wanted);
		if (s->begins.count < SECTIONS_MIN) {
			break;
		}
		if (!overlaps(s, loads)) {
			s->threads = s->begins.count < most ? (unsigned int)s->begins.count : most;
			return;
		}
	}
	/* One thread: the longer the sections are, the less is passed. */
	divide(s, loads, wanted < SECTION_BYTES_LONG ? wanted : SECTION_BYTES_LONG);
	s->threads = 1;
}

void sections_fini(struct sections *s)
{
	vec_fini(&s->begins);
}

/* One run: the lock guards the members after it. */
struct run {
	const struct sections *sections;
	const struct sections_job *job;
	pthread_mutex_t lock;
	pthread_cond_t turned;
	size_t next; /* the first section that no thread has taken */
	size_t turn; /* the section to be delivered */
	bool has_failed;
	bool is_over; /* has failed, or no more is wanted */
};

struct worker {
	struct run *run;
	unsigned int number;
	pthread_t thread;
	bool has_thread;
};

/* Takes the next section; false if none is left. */
static bool take(struct run *r, size_t *section)
{
	pthread_mutex_lock(&r->lock);
	bool is_left = !r->is_over && r->next < r->sections->begins.count;

	*section = r->next;
	r->next += is_left;
	pthread_mutex_unlock(&r->lock);
	return is_left;
}

static void end_run(struct run *r, bool has_failed)
{
	pthread_mutex_lock(&r->lock);
	r->has_failed |= has_failed;
	r->is_over = true;
	pthread_cond_broadcast(&r->turned);
	pthread_mutex_unlock(&r->lock);
}

/* Waits until all sections before this one were delivered; false if it is not wanted any more. */
static bool await_turn(struct run *r, size_t section)
{
	pthread_mutex_lock(&r->lock);
	while (!r->is_over && r->turn != section) {
		pthread_cond_wait(&r->turned, &r->lock);
	}
	bool is_wanted = !r->is_over;

	pthread_mutex_unlock(&r->lock);
	return is_wanted;
}

static void pass_turn(struct run *r)
{
	pthread_mutex_lock(&r->lock);
	r->turn++;
	pthread_cond_broadcast(&r->turned);
	pthread_mutex_unlock(&r->lock);
}

static void *work(void *worker)
{
	const struct worker *w = worker;
	struct run *r = w->run;
	const struct sections_job *job = r->job;
	size_t section;

	while (take(r, &section)) {
		const int64_t *begin = &r->sections->begins.items[section];
		bool is_last = section + 1 == r->sections->begins.count;

		if (!job->read(job->data, w->number, *begin, is_last ? INT64_MAX : begin[1])) {
			end_run(r, true);
		} else if (job->deliver && await_turn(r, section)) {
			if (!job->deliver(job->data, w->number)) {
				end_run(r, false);
			}
			pass_turn(r);
		}
	}
	return NULL;
}

bool sections_run(const struct sections *s, const struct sections_job *job)
{
	struct worker workers[SECTIONS_THREADS_MAX];
	struct run r = { .sections = s, .job = job };

	pthread_mutex_init(&r.lock, NULL);
	pthread_cond_init(&r.turned, NULL);
	for (unsigned int i = 1; i < s->threads; i++) {
		workers[i] = (struct worker){ .run = &r, .number = i };
		/* Without a thread, the others take its sections. */
		workers[i].has_thread =
			pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0;
	}
	workers[0] = (struct worker){ .run = &r };
	work(&workers[0]);
	for (unsigned int i = 1; i < s->threads; i++) {
		if (workers[i].has_thread) {
			pthread_join(workers[i].thread, NULL);
		}
	}
	pthread_cond_destroy(&r.turned);
	pthread_mutex_destroy(&r.lock);
	return !r.has_failed;
}
