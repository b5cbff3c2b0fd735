/* SPDX-License-Identifier: MIT */
/* The thread of a pass. */
#include "cmd/view/answer/beside.h"

static bool needs_class(void *pass, const struct event_class *class)
{
	const struct view_pass *p = pass;

	return p->style->needs(p->data, class);
}

static struct reader *open_reader(struct view_pass *p, struct filter *filter)
{
	struct reader *r = session_open_beside(p->viewer->session, filter);

	if (r && p->style->needs) {
		filter->needs_class = needs_class;
		filter->needs_data = p;
		filter_limit(filter);
	}
	return r;
}

static bool read_few(struct view_pass *p, struct reader *r, struct filter *filter)
{
	struct record records[SESSION_FEW];
	enum read_result result;
	size_t count = reader_few(r, records, SESSION_FEW, &result);
	size_t kept = filter_keep(filter, records, count);

	pthread_mutex_lock(&p->lock);
	for (size_t i = 0; i < kept; i++) {
		bool is_event = records[i].kind == RECORD_EVENT;

		if (!is_event || !p->style->needs || p->style->needs(p->data, records[i].class)) {
			p->style->add(p->data, r, &records[i]);
		}
	}
	pthread_mutex_unlock(&p->lock);
	return count > 0 || result == READ_PROBLEM;
}

static void *run(void *pass)
{
	struct view_pass *p = pass;
	struct filter filter;
	struct reader *r = open_reader(p, &filter);

	if (r && p->style->begin) {
		pthread_mutex_lock(&p->lock);
		p->style->begin(p->data, r);
		pthread_mutex_unlock(&p->lock);
	}
	while (r && !__atomic_load_n(&p->is_stopped, __ATOMIC_RELAXED) && read_few(p, r, &filter)) {
	}
	pthread_mutex_lock(&p->lock);
	if (r && p->style->end) {
		p->style->end(p->data);
	}
	p->is_done = true;
	pthread_mutex_unlock(&p->lock);
	filter_fini(&filter);
	reader_close(r);
	return NULL;
}

void view_pass_begin(struct view_pass *p)
{
	pthread_mutex_init(&p->lock, NULL);
	p->is_done = false;
	p->has_thread = pthread_create(&p->thread, NULL, run, p) == 0;
	if (!p->has_thread) {
		p->is_done = true;
	}
}

void view_pass_wait(struct view_pass *p)
{
	if (p->has_thread) {
		pthread_join(p->thread, NULL);
		p->has_thread = false;
	}
}

void view_pass_end(struct view_pass *p)
{
	__atomic_store_n(&p->is_stopped, true, __ATOMIC_RELAXED);
	view_pass_wait(p);
	pthread_mutex_destroy(&p->lock);
}
