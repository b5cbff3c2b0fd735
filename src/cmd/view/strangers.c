/* SPDX-License-Identifier: MIT */
/* Limits the connections that have not shown the token: see strangers.h. */
#include "cmd/view/strangers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/memory.h"

/* Takes the connection at an index off the list. */
static void unlist(struct strangers *s, size_t i)
{
	s->all[i]->is_listed = false;
	s->count--;
	memmove(s->all + i, s->all + i + 1, (s->count - i) * sizeof(*s->all));
}

static void unlist_one(struct strangers *s, struct stranger *stranger)
{
	size_t i = 0;

	if (stranger->is_listed) {
		while (s->all[i] != stranger) {
			i++;
		}
		unlist(s, i);
	}
}

void strangers_init(struct strangers *s)
{
	*s = (struct strangers){ 0 };
	pthread_mutex_init(&s->lock, NULL);
}

void strangers_fini(struct strangers *s)
{
	pthread_mutex_destroy(&s->lock);
}

struct stranger *strangers_enter(struct strangers *s, int fd)
{
	struct stranger *stranger = xcalloc(1, sizeof(*stranger));

	*stranger = (struct stranger){ .fd = fd, .is_listed = true };
	pthread_mutex_lock(&s->lock);
	if (s->count == STRANGERS_MAX) {
		/* Its thread sees the end, and closes the descriptor. */
		shutdown(s->all[0]->fd, SHUT_RDWR);
		unlist(s, 0);
	}
	s->all[s->count++] = stranger;
	pthread_mutex_unlock(&s->lock);
	return stranger;
}

void strangers_know(struct strangers *s, struct stranger *stranger)
{
	pthread_mutex_lock(&s->lock);
	unlist_one(s, stranger);
	pthread_mutex_unlock(&s->lock);
}

void strangers_leave(struct strangers *s, struct stranger *stranger)
{
	strangers_know(s, stranger);
	free(stranger);
}
