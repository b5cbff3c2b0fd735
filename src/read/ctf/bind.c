/* SPDX-License-Identifier: MIT */
/*
 * Binds the metadata to the reader: event numbers to classes, ticks to nanoseconds. A live process
 * appends to its metadata and measures its clock better, so both are repeated. Called by open.c
 * first, and by records.c and follow.c when the metadata may have grown.
 */
#include "read/ctf/ctf.h"
#include "text/out.h"

/* Later times (in seconds; some 280 years) do not fit into nanoseconds. */
#define TIME_MAX_S UINT64_C(9000000000)

/* Two events of one name share a class if readers see no difference between them. */
static struct event_class *find_class(struct ctf_reader *r, const struct ctf_event *e)
{
	struct out key;

	out_init(&key, OUT_TO_MEMORY);
	out_printf(&key, "%s %s", e->name, e->event->format.source ? e->event->format.source : "");
	for (size_t i = 0; i < e->event->arg_count; i++) {
		const struct layout_field *f = &e->layout->fields[i];

		out_printf(&key, "\n%s %s %u %u %u", e->event->args[i].type.text,
			e->event->args[i].name, f->size, f->align, f->form);
	}
	out_printf(&key, "\n%s", e->event->meaning ? e->event->meaning : "");
	out_char(&key, '\0');
	struct event_class *class = hash_get(&r->classes, key.data);

	if (!class) {
		class = classes_add(&r->base.classes, e->name);
		class->id = e->id;
		class->event = e->event;
		class->layout = e->layout;
		class->payload_size = e->layout->size;
		hash_add(&r->classes, arena_strdup(&r->names, key.data), class);
	}
	out_fini(&key);
	return class;
}

static void set_skipped(const struct ctf_reader *r, struct ctf_slot *slot)
{
	const struct reader_needs *n = &r->needs;

	slot->is_own = slot->class->is_own;
	slot->is_skipped = n->needs_class && !n->needs_class(n->data, slot->class);
}

void ctf_bind_needs(struct ctf_reader *r)
{
	vec_foreach (struct ctf_slot *, slot, &r->slots) {
		if (slot->class) {
			set_skipped(r, slot);
		}
	}
}

void ctf_bind_events(struct ctf_reader *r)
{
	const struct ctf_metadata *md = &r->metadata;

	for (; r->events_bound < md->events.count; r->events_bound++) {
		const struct ctf_event *e = &md->events.items[r->events_bound];
		const size_t word = sizeof(uint64_t);
		size_t to_string = layout_to_string(e->layout);
		bool varies = e->layout->size == PAYLOAD_VARIES;

		while (r->slots.count <= e->id) {
			vec_push(&r->slots, ((struct ctf_slot){ .size = SIZE_MAX }));
		}
		r->slots.items[e->id] = (struct ctf_slot){
			.class = find_class(r, e),
			.size = varies ? 0 : word + e->layout->size,
			.to_string = to_string ? word + to_string : 0,
		};
		set_skipped(r, &r->slots.items[e->id]);
		reader_reserve_values(&r->base, e->layout->count);
	}
}

/*
 * A process that measured its clock better writes a new file, whose other parts are mostly
 * unchanged.
 */
bool ctf_look_again(struct ctf_reader *r)
{
	r->base.error.is_short = false;
	if (!ctf_metadata_read(&r->metadata, r->trace.directory, &r->base.error)) {
		return false;
	}
	bool is_new = r->events_bound < r->metadata.events.count;

	ctf_bind_events(r);
	return is_new;
}

/*
 * Uses the clock in the process's buffer if there is one, else the metadata's, which is also better
 * if `waymark sync` has set it.
 */
void ctf_set_clock(struct ctf_reader *r)
{
	const struct ctf_metadata *md = &r->metadata;
	struct buffer_clock begin = md->begin;
	struct buffer_clock first;
	struct buffer_clock now;

	r->clock = md->clock;
	if (r->trace.buffer && !*md->clock_host) {
		/* Uses the trace's first reading, as its files were written with it. */
		buffer_source_clock(r->trace.buffer, &first, &now);
		begin = begin.realtime_ns ? begin : first;
		ctf_clock_from(&r->clock, &begin, &now);
	}
	r->freq = (double)r->clock.freq;
	r->trace.last_ticks =
		r->clock.freq > PACKET_OPEN / TIME_MAX_S ? PACKET_OPEN : r->clock.freq * TIME_MAX_S;
	r->info.has_realtime = begin.realtime_ns != 0;
	r->info.realtime = begin.realtime_ns - begin.monotonic_ns;
	r->ns_of_zero = ctf_clock_base(&r->clock) - r->info.realtime;
}

uint64_t ctf_ticks(const struct ctf_reader *r, int64_t ns)
{
	uint64_t low = 0;
	uint64_t high = r->trace.last_ticks;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if ((int64_t)ctf_ns(r, middle) < ns) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low;
}
