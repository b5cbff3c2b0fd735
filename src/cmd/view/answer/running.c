/* SPDX-License-Identifier: MIT */
/* Watches the connections of questions that are being answered: see running.h. */
#include "cmd/view/answer/running.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/compiler.h"

static void wake(struct running *r)
{
	const uint64_t one = 1;
	ssize_t ignored = write(r->wake, &one, sizeof(one));

	(void)ignored; /* fails only if the counter is full, and then the thread wakes up */
}

static void stop(struct running_question *q)
{
	__atomic_store_n(&q->is_over, 1, __ATOMIC_RELAXED);
}

/* Lists what to wait for: a change of the list, and the end of each connection. */
static nfds_t list(struct running *r, struct pollfd *polled)
{
	nfds_t count = 1;

	polled[0] = (struct pollfd){ .fd = r->wake, .events = POLLIN };
	for (size_t i = 0; i < r->count; i++) {
		if (!running_is_over(&r->all[i]->is_over)) {
			polled[count++] =
				(struct pollfd){ .fd = r->all[i]->fd, .events = POLLRDHUP };
		}
	}
	return count;
}

/* Stops the questions of connections that have ended. */
static void stop_ended(struct running *r, const struct pollfd *polled, nfds_t count)
{
	for (nfds_t i = 1; i < count; i++) {
		for (size_t k = 0; k < r->count && polled[i].revents; k++) {
			/* A closed descriptor may have a successor, which is asked again. */
			struct pollfd now = { .fd = polled[i].fd, .events = POLLRDHUP };

			if (r->all[k]->fd == now.fd && poll(&now, 1, 0) > 0) {
				stop(r->all[k]);
			}
		}
	}
}

static void *watch(void *running)
{
	struct running *r = running;
	struct pollfd polled[RUNNING_MAX + 1];
	uint64_t ignored;

	pthread_mutex_lock(&r->lock);
	while (!r->is_ended) {
		nfds_t count = list(r, polled);

		pthread_mutex_unlock(&r->lock);
		poll(polled, count, -1);
		if (polled[0].revents && read(r->wake, &ignored, sizeof(ignored)) < 0) {
			/* Another wake-up was faster. */
		}
		pthread_mutex_lock(&r->lock);
		stop_ended(r, polled, count);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

int running_init(struct running *r)
{
	*r = (struct running){ .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK) };
	if (r->wake < 0) {
		return errno;
	}
	pthread_mutex_init(&r->lock, NULL);
	int failed = pthread_create(&r->thread, NULL, watch, r);

	if (failed) {
		pthread_mutex_destroy(&r->lock);
		close(r->wake);
	}
	return failed;
}

void running_stop(struct running *r)
{
	pthread_mutex_lock(&r->lock);
	r->is_ended = true;
	for (size_t i = 0; i < r->count; i++) {
		stop(r->all[i]);
	}
	pthread_mutex_unlock(&r->lock);
	wake(r);
}

void running_fini(struct running *r)
{
	running_stop(r);
	pthread_join(r->thread, NULL);
	pthread_mutex_destroy(&r->lock);
	close(r->wake);
}

void running_begin(struct running *r, struct running_question *q)
{
	pthread_mutex_lock(&r->lock);
	q->is_over = r->is_ended || r->count == RUNNING_MAX;
	if (!q->is_over) {
		r->all[r->count++] = q;
	}
	pthread_mutex_unlock(&r->lock);
	wake(r);
}

void running_end(struct running *r, struct running_question *q)
{
	pthread_mutex_lock(&r->lock);
	for (size_t i = 0; i < r->count; i++) {
		if (r->all[i] == q) {
			r->all[i] = r->all[--r->count];
			break;
		}
	}
	pthread_mutex_unlock(&r->lock);
	wake(r);
}

size_t running_count(struct running *r)
{
	pthread_mutex_lock(&r->lock);
	size_t count = r->count;

	pthread_mutex_unlock(&r->lock);
	return count;
}
