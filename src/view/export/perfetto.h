/* SPDX-License-Identifier: MIT */
/*
 * Packets of a Perfetto trace: perfetto.c writes the events, perfetto_tracks.c the tracks on which
 * they are. Private to these files.
 */
#ifndef VIEW_EXPORT_PERFETTO_H
#define VIEW_EXPORT_PERFETTO_H

#include "base/arena.h"
#include "base/hash.h"
#include "format/perfetto.h"
#include "format/protobuf.h"
#include "view/export/cell.h"
#include "view/export/export.h"
#include "view/message/message.h"

/* The number of our sequence; small ones are those of Perfetto's own service. */
#define SEQUENCE 0x574d

/* Bytes of a packet without names, arguments and texts. */
#define PACKET_ROOM 256

/* Bytes of an argument without its text. */
#define ARGUMENT_ROOM (4 * PROTOBUF_FIELD_MAX)

/* What the sequence knows of an event class. */
struct perfetto_class {
	bool is_ready;
	uint64_t category; /* 0: none */
	uint64_t *arguments; /* number of each argument's name */
};

struct perfetto {
	struct export *export;
	struct timeline timeline;
	struct arena arena;
	VEC(struct perfetto_class)
	classes; /* by class index, which is also the name's number - 1 */
	struct hash categories; /* numbers of names */
	struct hash arguments;
	VEC(uint64_t) values; /* tracks of counters that were described */
	VEC(struct cell) cells; /* room for the arguments of any class so far */
	bool has_begun;
};

/* Only the last 48 bits of a number are used for tracks: shorter, and still unique. */
static inline uint64_t perfetto_track(uint64_t id)
{
	return id >> 16;
}

/* Begins a packet for which `room` more bytes are reserved; *packet is for perfetto_end(). */
char *perfetto_begin(struct perfetto *p, size_t room, char **packet);
void perfetto_end(struct perfetto *p, char *packet, char *out);

/* Writes a text, escaped where it is not UTF-8. Needs ESCAPE_MAX times its bytes. */
char *perfetto_put_name(char *out, unsigned int field, const char *name);

/* Describe tracks; functions of the style. */
void perfetto_put_process(void *view, const struct timeline_process *process);
void perfetto_put_thread(void *view, const struct timeline_thread *thread);
void perfetto_put_lane(void *view, const struct timeline_lane *lane);

/* Describes the track of a process's counter. */
void perfetto_put_counter(struct perfetto *p, const struct timeline_value *v);

#endif
