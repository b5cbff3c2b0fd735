/* SPDX-License-Identifier: MIT */
/*
 * Finds the process, thread and lane of each record, and keeps the slices of threads nested. Which
 * record begins or ends which scope is decided by analyse/match/pairs.h.
 */
#include "timeline/timeline.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "analyse/match/fields.h"

void timeline_init(struct timeline *t, struct reader *reader, struct timeline_counters *counters,
	const struct timeline_style *style, void *view)
{
	*t = (struct timeline){
		.reader = reader, .counters = counters, .style = style, .view = view
	};
	pairs_init(&t->pairs, &reader->classes);
}

void timeline_fini(struct timeline *t)
{
	vec_foreach (struct timeline_process *, p, &t->processes) {
		free(p->name);
	}
	vec_foreach (struct timeline_thread *, thread, &t->threads) {
		vec_fini(&thread->open);
	}
	vec_foreach (struct timeline_class *, c, &t->classes) {
		vec_fini(&c->counters);
	}
	vec_fini(&t->processes);
	vec_fini(&t->threads);
	vec_fini(&t->lanes);
	vec_fini(&t->groups);
	vec_fini(&t->classes);
	keys_fini(&t->by_key);
	keys_fini(&t->by_lanes);
	pairs_fini(&t->pairs);
}

size_t timeline_category(const char *name)
{
	size_t n = 0;

	while (isalnum((unsigned char)name[n]) || name[n] == '_') {
		n++;
	}
	return name[n] == ':' ? n : 0;
}

uint64_t timeline_mix(uint64_t a, uint64_t b)
{
	/* Differs for all pairs of small numbers: the factor spreads the first over all bits. */
	uint64_t x = (a + 1) * UINT64_C(0x9e3779b97f4a7c15) + b;

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

/* ---- Processes and threads ---- */

/* Keys of processes have this thread, which no thread has. */
#define OF_PROCESS UINT32_MAX

static const struct trace_info *trace_of(const struct timeline *t, uint32_t trace)
{
	return &t->reader->traces[trace];
}

/* Returns the process's name, which the caller frees. */
static char *name_process(const struct timeline *t, const struct timeline_process *p)
{
	const struct trace_info *info = trace_of(t, p->trace);
	bool is_own = info->procname && (info->pid == p->pid || !p->is_known);
	const char *nameless = p->is_known ? "process" : "unknown process";
	const char *name = is_own && *info->procname ? info->procname : nameless;
	const char *host = t->reader->has_hosts ? info->hostname : "";
	char *text = NULL;

	if (asprintf(&text, "%s%s%s", name, *host ? " at " : "", host) < 0) {
		abort();
	}
	return text;
}

/* Returns a number of the process that another export of the same trace has too. */
static uint64_t identify(const struct timeline *t, const struct timeline_process *p)
{
	const struct trace_info *info = trace_of(t, p->trace);
	uint64_t host = hash_string(info->hostname ? info->hostname : "");
	uint64_t boot = hash_string(info->boot_id ? info->boot_id : "");

	return timeline_mix(timeline_mix(host, boot), timeline_mix(p->trace, p->pid));
}

static bool is_guest(const struct timeline *t, uint32_t trace)
{
	const struct reader *r = t->reader;

	return r->has_hosts && strcmp(r->traces[trace].hostname, r->traces[0].hostname) != 0;
}

static uint32_t find_process(struct timeline *t, uint32_t trace, uint32_t pid)
{
	const struct key key = { .trace = trace, .pid = pid, .tid = OF_PROCESS };
	uint32_t index = keys_get(&t->by_key, &key);

	if (index == KEYS_NONE) {
		struct timeline_process p = {
			.trace = trace,
			.pid = pid,
			.is_known = reader_knows_pid(t->reader, trace, pid),
			.is_guest = is_guest(t, trace),
		};

		p.name = name_process(t, &p);
		p.id = identify(t, &p);
		index = (uint32_t)t->processes.count;
		vec_push(&t->processes, p);
		keys_swap(&t->by_key, &key, index);
		if (t->style->put_process) {
			t->style->put_process(t->view, &p);
		}
	}
	return index;
}

static COLD uint32_t find_thread(struct timeline *t, const struct key *key)
{
	uint32_t index = keys_get(&t->by_key, key);

	if (index == KEYS_NONE) {
		struct timeline_thread thread = { .process = find_process(t, key->trace, key->pid),
			.tid = key->tid,
			.index = (uint32_t)t->threads.count };
		uint64_t process = t->processes.items[thread.process].id;

		index = thread.index;
		thread.id = thread.tid ? timeline_mix(process, thread.tid) : process;
		vec_push(&t->threads, thread);
		keys_swap(&t->by_key, key, index);
		t->style->put_thread(t->view, &t->threads.items[index]);
	}
	return index;
}

/* Returns the thread of a record or scope, which is usually among the recent ones. */
static struct timeline_thread *thread_of(
	struct timeline *t, uint32_t trace, uint32_t pid, uint32_t tid)
{
	struct pairs_recent *recent = &t->recent[tid % TIMELINE_RECENT];

	if (UNLIKELY(recent->tid != tid || recent->pid != pid || recent->trace != trace ||
		     !recent->is_known)) {
		const struct key key = { .trace = trace, .pid = pid, .tid = tid };

		*recent = (struct pairs_recent){ trace, pid, tid, find_thread(t, &key), true };
	}
	return &t->threads.items[recent->index];
}

const struct timeline_thread *timeline_know_thread(
	struct timeline *t, uint32_t trace, uint32_t pid, uint32_t tid)
{
	return thread_of(t, trace, pid, tid);
}

uint32_t timeline_find_thread(const struct timeline *t, uint32_t trace, uint32_t pid, uint32_t tid)
{
	const struct key key = { .trace = trace, .pid = pid, .tid = tid };

	return keys_get(&t->by_key, &key);
}

uint32_t timeline_find_process(const struct timeline *t, uint32_t trace, uint32_t pid)
{
	const struct key key = { .trace = trace, .pid = pid, .tid = OF_PROCESS };
	uint32_t index = keys_get(&t->by_key, &key);

	return index == KEYS_NONE ? 0 : index;
}

/* ---- Classes ---- */

static bool is_step_of_flow(const struct event *e, size_t i)
{
	return i == 0 && strcmp(e->args[i].name, "flow") == 0 && type_is_number(&e->args[i].type);
}

/* Adds an argument unless another counter has it. */
static void add_counter(struct timeline_class *c, size_t arg)
{
	for (size_t i = 0; i < c->counters.count; i++) {
		if (c->counters.items[i] == arg) {
			return;
		}
	}
	vec_push(&c->counters, arg);
}

static COLD void find_counters(
	struct timeline *t, struct timeline_class *c, const struct event_class *class)
{
	vec_foreach (struct timeline_counter *, counter, &t->counters->all) {
		int arg = event_find_arg(class->event, counter->field, strlen(counter->field));

		if (arg >= 0 && name_pattern_meets(&counter->event, class->name)) {
			counter->is_found = true;
			add_counter(c, (size_t)arg);
		}
	}
}

static COLD void examine(struct timeline *t, const struct event_class *class)
{
	while (t->classes.count <= class->index) {
		vec_push(&t->classes, ((struct timeline_class){ 0 }));
	}
	struct timeline_class *c = &t->classes.items[class->index];
	const struct event *e = class->event;

	c->is_ready = true;
	if (!e) {
		return;
	}
	for (size_t i = 0; i < e->arg_count && i <= UINT8_MAX && c->key_count < TIMELINE_FLOWS;
		i++) {
		if (e->args[i].is_key || is_step_of_flow(e, i)) {
			c->keys[c->key_count++] = (uint8_t)i;
		}
	}
	find_counters(t, c, class);
}

static inline const struct timeline_class *class_of(
	struct timeline *t, const struct event_class *class)
{
	if (UNLIKELY(
		    class->index >= t->classes.count || !t->classes.items[class->index].is_ready)) {
		examine(t, class);
	}
	return &t->classes.items[class->index];
}

/* ---- Flows ---- */

/*
 * Returns the number of the object that an argument names; false if it is absent. `where` is the
 * number of its process, 0: of all.
 */
static bool name_object(uint64_t where, const struct record *rec, int arg, uint64_t *id)
{
	const struct value *v = &rec->values[arg];
	uint64_t of_process = timeline_mix(where, hash_string(rec->class->event->args[arg].name));
	uint64_t number;

	if (field_integer(rec, rec->values, arg, &number)) {
		*id = timeline_mix(of_process, number);
		return true;
	}
	if (v->kind != VALUE_STRING || !v->text || v->is_cut) {
		return false;
	}
	for (uint32_t i = 0; i < v->length; i++) {
		of_process = timeline_mix(of_process, (unsigned char)v->text[i]);
	}
	*id = of_process;
	return true;
}

static void find_flows(struct timeline *t, struct timeline_event *e)
{
	const struct timeline_class *c = class_of(t, e->class);
	const struct timeline_process *p = timeline_process_of(t, e->thread);

	e->flows.part = e->class->event->life_part;
	for (size_t i = 0; i < c->key_count; i++) {
		uint64_t *id = &e->flows.ids[e->flows.count];
		/* The numbers of WAYMARK_FLOW() are counted by each process. */
		bool is_of_all = t->is_across && e->class->event->args[c->keys[i]].is_key;

		e->flows.count += name_object(is_of_all ? 0 : p->id, e->rec, c->keys[i], id);
	}
}

/* The flow of WAYMARK_FLOW() is named by its number, as in the field of its steps. */
static void begin_flow(struct timeline *t, struct timeline_event *e, int64_t scope)
{
	const struct timeline_process *p = timeline_process_of(t, e->thread);

	if (e->flows.count < TIMELINE_FLOWS) {
		e->flows.ids[e->flows.count++] =
			timeline_mix(timeline_mix(p->id, hash_string("flow")), (uint64_t)scope);
	}
}

/* ---- Lanes ---- */

static uint32_t find_group(struct timeline *t, const struct key *of)
{
	const struct key key = { .trace = of->trace, .pid = of->pid, .name = of->name };
	uint32_t group = keys_get(&t->by_lanes, &key);

	if (group == KEYS_NONE) {
		group = (uint32_t)t->groups.count;
		vec_push(&t->groups, ((struct timeline_lanes){ .free = KEYS_NONE }));
		keys_swap(&t->by_lanes, &key, group);
	}
	return group;
}

uint32_t timeline_take_lane(struct timeline *t, const struct key *of)
{
	uint32_t group = find_group(t, of);
	struct timeline_lanes *g = &t->groups.items[group];
	uint32_t lane = g->free;

	if (lane != KEYS_NONE) {
		g->free = t->lanes.items[lane].next;
		return lane;
	}
	struct timeline_lane new = { .process = find_process(t, of->trace, of->pid),
		.name = of->name,
		.group = group,
		.number = g->count++,
		.next = KEYS_NONE };

	lane = (uint32_t)t->lanes.count;
	new.id = timeline_mix(timeline_mix(t->processes.items[new.process].id, 1), lane);
	vec_push(&t->lanes, new);
	if (t->style->put_lane) {
		t->style->put_lane(t->view, &new);
	}
	return lane;
}

uint32_t timeline_free_lanes(struct timeline *t, const struct key *of)
{
	uint32_t group = find_group(t, of); /* may move the array */

	return t->groups.items[group].free;
}

void timeline_set_free(struct timeline *t, const struct key *of, uint32_t lane)
{
	uint32_t group = find_group(t, of);

	t->groups.items[group].free = lane;
}

void timeline_free_lane(struct timeline *t, uint32_t lane)
{
	struct timeline_lane *l = &t->lanes.items[lane];
	struct timeline_lanes *g = &t->groups.items[l->group];

	l->next = g->free;
	g->free = lane;
}

/* ---- Slices ---- */

static void put_slice(struct timeline *t, const struct timeline_thread *thread,
	const struct timeline_slice *slice, uint64_t ns, bool begins)
{
	t->style->put_event(t->view, &(struct timeline_event){
					     .kind = begins ? TIMELINE_BEGIN : TIMELINE_END,
					     .ns = ns,
					     .class = slice->class,
					     .is_continued = begins,
					     .thread = thread,
				     });
}

/* Notes that an open scope has no slice any more. */
static COLD void note_dropped(struct timeline *t, const struct timeline_thread *thread,
	const struct timeline_slice *slice)
{
	const struct timeline_process *p = timeline_process_of(t, thread);
	const struct key key = { p->trace, p->pid, thread->tid, slice->name, slice->scope };
	struct scope_span *span = pairs_find(&t->pairs, &key);

	if (span) {
		span->part = TIMELINE_DROPPED;
	}
}

/*
 * Removes a slice from its thread. Slices inside of it are ended with it; they begin again unless
 * their own end may be lost.
 */
static void end_slice(struct timeline *t, const struct scope_span *span, uint64_t ns)
{
	struct timeline_thread *thread =
		thread_of(t, span->key.trace, span->key.pid, span->key.tid);
	size_t at = thread->open.count;
	size_t kept;

	while (at > 0 && (thread->open.items[at - 1].scope != span->key.scope ||
				 thread->open.items[at - 1].name != span->key.name)) {
		at--;
	}
	if (at == 0) { /* it was ended with a slice around it */
		return;
	}
	for (size_t i = thread->open.count; i >= at; i--) {
		put_slice(t, thread, &thread->open.items[i - 1], ns, false);
	}
	kept = at - 1;
	for (size_t i = at; i < thread->open.count; i++) {
		if (!thread->open.items[i].is_doubtful) {
			thread->open.items[kept] = thread->open.items[i];
			put_slice(t, thread, &thread->open.items[kept++], ns, true);
		} else {
			note_dropped(t, thread, &thread->open.items[i]);
		}
	}
	thread->open.count = kept;
}

/* Ends the slice of a span, which is on its thread or in a lane. */
static void end_span(struct timeline *t, struct scope_span *span, uint64_t ns)
{
	if (span->place == PAIRS_STACKED) {
		end_slice(t, span, ns);
		return;
	}
	t->style->put_event(t->view,
		&(struct timeline_event){
			.kind = TIMELINE_ASYNC_END,
			.ns = ns,
			.class = span->class,
			.thread = thread_of(t, span->key.trace, span->key.pid, span->key.tid),
			.lane = &t->lanes.items[span->mark],
			.begin_ns = span->begin_ns,
			.note = &span->part,
		});
	timeline_free_lane(t, span->mark);
}

static void begin_span(struct timeline *t, struct timeline_event *e)
{
	struct scope_span *span = pairs_begun(&t->pairs);

	if (span->is_nested) {
		e->kind = TIMELINE_BEGIN;
		vec_push(&t->threads.items[e->thread->index].open,
			((struct timeline_slice){ .class = span->class,
				.scope = span->key.scope,
				.name = span->key.name }));
	} else {
		e->kind = TIMELINE_ASYNC_BEGIN;
		span->mark = e->lane ? (uint32_t)(e->lane - t->lanes.items)
				     : timeline_take_lane(t, &span->key);
		e->lane = &t->lanes.items[span->mark];
		e->note = &span->part;
		begin_flow(t, e, span->key.scope);
	}
	t->style->put_event(t->view, e);
}

void timeline_continue(struct timeline *t, const struct timeline_begun *begun)
{
	const struct key *key = &begun->key;
	const struct record rec = { .kind = RECORD_EVENT,
		.trace = key->trace,
		.pid = key->pid,
		.tid = key->tid,
		.ns = begun->begin_ns,
		.class = begun->class };
	struct timeline_thread *thread = thread_of(t, key->trace, key->pid, key->tid);
	struct timeline_event e = {
		.ns = begun->slice_ns,
		.class = begun->class,
		.is_continued = begun->is_continued,
		.thread = thread,
		.lane = begun->lane == KEYS_NONE ? NULL : &t->lanes.items[begun->lane],
	};

	enum pairs_place place = pairs_is_sync(key) ? PAIRS_STACKED : PAIRS_ANYWHERE;

	if (pairs_begin(&t->pairs, &rec, key, place, key->name) == PAIRS_BEGUN_TWICE) {
		end_span(t, &t->pairs.span, begun->slice_ns);
	}
	if (begun->is_dropped) {
		pairs_begun(&t->pairs)->part = TIMELINE_DROPPED;
		return;
	}
	begin_span(t, &e);
	if (e.kind == TIMELINE_BEGIN) {
		thread->open.items[thread->open.count - 1].is_doubtful = begun->is_doubtful;
	}
}

void timeline_resume(struct timeline *t, const struct timeline_begun *begun)
{
	const char *name = begun->class->name;
	struct timeline_begun named = *begun;

	named.key.name = texts_number(&t->pairs.names, name, strlen(name));
	timeline_continue(t, &named);
}

/* Notes that slices of the thread, or of all threads of the process, may have lost their ends. */
static void doubt(struct timeline *t, const struct record *gap)
{
	vec_foreach (struct timeline_thread *, thread, &t->threads) {
		const struct timeline_process *p = timeline_process_of(t, thread);

		if (p->trace != gap->trace || (gap->pid && gap->pid != p->pid) ||
			(gap->tid && gap->tid != thread->tid)) {
			continue;
		}
		vec_foreach (struct timeline_slice *, slice, &thread->open) {
			slice->is_doubtful = true;
		}
	}
}

/* ---- Records ---- */

static void put_counters(struct timeline *t, const struct timeline_event *e)
{
	const struct timeline_class *c = class_of(t, e->class);

	for (size_t i = 0; i < c->counters.count; i++) {
		size_t arg = c->counters.items[i];
		uint64_t process = timeline_process_of(t, e->thread)->id;
		uint64_t of_event = timeline_mix(process, hash_string(e->class->name));

		t->style->put_value(t->view, &(struct timeline_value){
						     .ns = e->ns,
						     .process = e->thread->process,
						     .id = timeline_mix(of_event, arg),
						     .class = e->class,
						     .arg = &e->class->event->args[arg],
						     .value = &e->rec->values[arg],
					     });
	}
}

static void add_event(struct timeline *t, const struct record *rec)
{
	struct timeline_event e = {
		.kind = TIMELINE_INSTANT,
		.ns = rec->ns,
		.class = rec->class,
		.rec = rec,
		.thread = thread_of(t, rec->trace, rec->pid, rec->tid),
	};

	if (!t->style->needs_no_values && class_of(t, rec->class)->key_count > 0) {
		find_flows(t, &e);
	}
	switch (pairs_take(&t->pairs, t->reader, rec)) {
	case PAIRS_BEGUN_TWICE:
		end_span(t, &t->pairs.span, rec->ns);
		begin_span(t, &e);
		break;
	case PAIRS_BEGUN:
		begin_span(t, &e);
		break;
	case PAIRS_ENDED:
		end_span(t, &t->pairs.span, rec->ns);
		break;
	case PAIRS_NOTHING:
	case PAIRS_UNBEGUN:
	case PAIRS_UNBEGUN_LOST:
		t->style->put_event(t->view, &e);
		break;
	}
	if (!t->style->needs_no_values) {
		put_counters(t, &e);
	}
}

void timeline_add(struct timeline *t, const struct record *rec)
{
	if (UNLIKELY(rec->kind == RECORD_GAP)) {
		const struct timeline_thread *thread = thread_of(t, rec->trace, rec->pid, rec->tid);

		pairs_gap(&t->pairs, rec);
		doubt(t, rec);
		t->style->put_gap(t->view, thread, rec);
		return;
	}
	if (t->style->needs_no_values) {
		add_event(t, rec);
		return;
	}
	struct record decoded = *rec;

	if (LIKELY(rec->class->event)) {
		decoded.values = reader_values(t->reader, rec);
	}
	add_event(t, &decoded);
}
