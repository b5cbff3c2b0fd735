/* SPDX-License-Identifier: MIT */
/*
 * Entries: ids, and copies of events that outlive their object. An event that is loaded again gets
 * its former entry, so that ids do not run out if a plug-in is loaded and unloaded often. Entries
 * are made under the control lock and never freed; only the rings of entries with the same name
 * change. Readers need no lock.
 */
#include <stdlib.h>
#include <string.h>

#include "rt/event/registry.h"
#include "rt/event/site.h"
#include "rt/event/state.h"

#define BUCKETS 4096u

/* An entry in the table of identical events; its texts follow the arguments. */
struct node {
	struct waymark_entry entry;
	uint64_t hash;
	struct node *next;
	struct node *next_name; /* in the bucket of names */
	struct waymark_entry_arg args[];
};

/* Written under the control lock; `by_id` by release, see waymark_registry_entry(). */
static struct {
	struct node *by_id[REGISTRY_IDS_MAX];
	struct node *buckets[BUCKETS];
	struct node *names[BUCKETS]; /* newest first */
	uint32_t last_id;
} entries;

const struct waymark_entry *waymark_registry_entry(uint32_t id)
{
	if (id >= REGISTRY_IDS_MAX) {
		return NULL;
	}
	/* Acquire: pairs with publish(). */
	const struct node *n = __atomic_load_n(&entries.by_id[id], __ATOMIC_ACQUIRE);

	return n ? &n->entry : NULL;
}

static uint64_t mix(uint64_t h, const char *s)
{
	for (; *s; s++) {
		h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
	}
	return (h ^ 0xff) * UINT64_C(1099511628211);
}

/* Returns the end of the event's texts. */
static const char *end_of_texts(const struct waymark_event *e)
{
	const char *text = event_format(e);

	for (unsigned int i = 0; i < 2u * e->arg_count; i++) {
		text = event_next_text(text);
	}
	return event_next_text(event_next_text(text));
}

static uint64_t hash_event(const struct waymark_event *e)
{
	uint64_t h = UINT64_C(14695981039346656037) ^ e->line ^ (uint64_t)e->flags << 32;
	const char *end = end_of_texts(e);

	for (const char *text = e->name; text < end; text = event_next_text(text)) {
		h = mix(h, text);
	}
	return mix(h, e->file);
}

static bool same_texts(const struct waymark_event *a, const char *b)
{
	const char *end = end_of_texts(a);

	for (const char *text = a->name; text < end; text = event_next_text(text)) {
		if (strcmp(text, b) != 0) {
			return false;
		}
		b = event_next_text(b);
	}
	return true;
}

static bool same_event(const struct waymark_entry *a, const struct waymark_event *b)
{
	if (a->line != b->line || a->arg_count != b->arg_count || a->flags != b->flags ||
		!same_texts(b, a->name) || strcmp(a->file, b->file) != 0) {
		return false;
	}
	for (unsigned int i = 0; i < b->arg_count; i++) {
		if (a->args[i].kind != b->args[i].kind || a->args[i].size != b->args[i].size) {
			return false;
		}
	}
	return true;
}

static struct node *copy_event(const struct waymark_event *e)
{
	size_t texts = (size_t)(end_of_texts(e) - e->name);
	size_t args = e->arg_count * sizeof(struct waymark_entry_arg);
	struct node *n = malloc(sizeof(*n) + args + texts + strlen(e->file) + 1);

	if (!n) {
		return NULL;
	}
	char *name = (char *)n + sizeof(*n) + args;
	const char *text = event_next_text(memcpy(name, e->name, texts));

	n->entry = (struct waymark_entry){
		.arg_count = e->arg_count,
		.flags = e->flags,
		.name = name,
		.format = text,
		.file = strcpy(name + texts, e->file),
		.line = e->line,
		.args = n->args,
	};
	for (unsigned int i = 0; i < e->arg_count; i++) {
		const char *arg = event_next_text(text);

		text = event_next_text(arg);
		n->args[i] =
			(struct waymark_entry_arg){ arg, text, e->args[i].kind, e->args[i].size };
	}
	n->entry.meaning = event_next_text(text);
	return n;
}

/*
 * Adds the entry to the ring of its name: libraries of a program may declare an event of the same
 * name differently.
 */
static void add_name(struct node *n)
{
	struct node **bucket = &entries.names[mix(0, n->entry.name) % BUCKETS];
	struct node *other = *bucket;

	while (other && strcmp(other->entry.name, n->entry.name) != 0) {
		other = other->next_name;
	}
	if (other) {
		const struct waymark_entry *next = other->entry.same_name;

		n->entry.same_name = next ? next : &other->entry;
		/* Release: pairs with waymark_registry_same_name(). */
		__atomic_store_n(&other->entry.same_name, &n->entry, __ATOMIC_RELEASE);
	}
	n->next_name = *bucket;
	*bucket = n;
}

static void publish(struct node *n, uint64_t hash)
{
	n->hash = hash;
	n->next = entries.buckets[hash % BUCKETS];
	entries.buckets[hash % BUCKETS] = n;
	n->entry.id = ++entries.last_id;
	add_name(n);
	__atomic_store_n(&entries.by_id[n->entry.id], n, __ATOMIC_RELEASE);
}

/* Returns the entry of an event as declared, made if it is new; NULL if memory or ids ran out. */
static struct node *node_of(const struct waymark_event *event)
{
	uint64_t hash = hash_event(event);
	struct node *n = entries.buckets[hash % BUCKETS];

	while (n && (n->hash != hash || !same_event(&n->entry, event))) {
		n = n->next;
	}
	if (!n && entries.last_id + 1 < REGISTRY_IDS_MAX) {
		n = copy_event(event);
		if (n) {
			publish(n, hash);
		}
	}
	return n;
}

/* Does the same for a trace point, from a declaration made for it. */
static struct node *node_of_site(const struct waymark_event *event)
{
	struct waymark_event *declared = waymark_site_declare(event);
	struct node *n = declared ? node_of(declared) : NULL;

	free(declared);
	return n;
}

static uint32_t give_id(struct waymark_event *event)
{
	/* waymark/site.h declares the ends of trace points itself. */
	bool is_undeclared =
		event->flags & WAYMARK_EVENT_SITE && !(event->flags & WAYMARK_EVENT_SCOPE_END);

	if (!event->id) {
		struct node *n = is_undeclared ? node_of_site(event) : node_of(event);

		event->id = n ? n->entry.id : 0;
	}
	return event->id;
}

uint32_t waymark_entry_id(struct waymark_event *event)
{
	uint32_t id = give_id(event);

	/* A scope is recorded only if its end can be recorded, too. */
	return id && event->end && !give_id(event->end) ? 0 : id;
}

bool waymark_entry_prepare(struct waymark_event *event, unsigned int on)
{
	return !(on & state_switchable(event) & RECORDING_BACKENDS) || waymark_entry_id(event);
}
