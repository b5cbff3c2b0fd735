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

/* An entry in the table of identical events; its strings follow the arguments. */
struct node {
	struct waymark_entry entry;
	uint64_t hash;
	struct node *next;
	struct node *next_name; /* in the bucket of names */
	struct waymark_arg args[];
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

static uint64_t hash_event(const struct waymark_event *e)
{
	uint64_t h = UINT64_C(14695981039346656037) ^ e->line ^ (uint64_t)e->flags << 32;

	h = mix(mix(mix(h, e->name), e->format), e->file);
	for (unsigned int i = 0; i < e->arg_count; i++) {
		h = mix(mix(h, e->args[i].name), e->args[i].type);
	}
	return h;
}

static bool same_arg(const struct waymark_arg *a, const struct waymark_arg *b)
{
	return a->kind == b->kind && a->size == b->size && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->type, b->type) == 0;
}

static bool same_event(const struct waymark_entry *a, const struct waymark_event *b)
{
	if (a->line != b->line || a->arg_count != b->arg_count || a->flags != b->flags ||
		strcmp(a->name, b->name) != 0 || strcmp(a->format, b->format) != 0 ||
		strcmp(a->file, b->file) != 0) {
		return false;
	}
	for (unsigned int i = 0; i < b->arg_count; i++) {
		if (!same_arg(&a->args[i], &b->args[i])) {
			return false;
		}
	}
	return true;
}

static size_t text_size(const struct waymark_event *e)
{
	size_t size = strlen(e->name) + strlen(e->format) + strlen(e->file) + 3;

	for (unsigned int i = 0; i < e->arg_count; i++) {
		size += strlen(e->args[i].name) + strlen(e->args[i].type) + 2;
	}
	return size;
}

/* Copies a string to `*text`, and moves `*text` past it. */
static const char *keep(char **text, const char *s)
{
	char *copy = *text;

	*text = stpcpy(copy, s) + 1;
	return copy;
}

static struct node *copy_event(const struct waymark_event *e)
{
	size_t args_size = e->arg_count * sizeof(struct waymark_arg);
	struct node *n = malloc(sizeof(*n) + args_size + text_size(e));

	if (!n) {
		return NULL;
	}
	char *text = (char *)n + sizeof(*n) + args_size;

	n->entry = (struct waymark_entry){
		.arg_count = e->arg_count,
		.flags = e->flags,
		.name = keep(&text, e->name),
		.format = keep(&text, e->format),
		.file = keep(&text, e->file),
		.line = e->line,
		.args = n->args,
	};
	for (unsigned int i = 0; i < e->arg_count; i++) {
		n->args[i] = e->args[i];
		n->args[i].name = keep(&text, e->args[i].name);
		n->args[i].type = keep(&text, e->args[i].type);
	}
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
