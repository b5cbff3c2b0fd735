/* SPDX-License-Identifier: MIT */
/*
 * Parts of the format otlp: spans that are open, and the JSON of values, spans and requests. For
 * the files otlp*.c only. One thread.
 */
#ifndef VIEW_EXPORT_OTLP_H
#define VIEW_EXPORT_OTLP_H

#include "analyse/life/lives.h"
#include "analyse/match/pairs.h"
#include "base/vec.h"
#include "view/export/cell.h"
#include "view/export/export.h"

/* Bytes after which a request is complete: it is larger by a span at most. */
#define OTLP_REQUEST_MAX ((size_t)512 << 10)

/* Bytes of the events of a span, and of all open spans; the last event of a life is not counted. */
#define OTLP_EVENTS_MAX ((size_t)64 << 10)
#define OTLP_HELD_MAX ((size_t)256 << 20)

/* Lives open at one time. */
#define OTLP_LIVES_MAX ((size_t)1 << 20)

#define OTLP_NONE UINT32_MAX

/* 128 bits: the id of a trace; of a span `low` is. */
struct otlp_id {
	uint64_t high;
	uint64_t low;
};

/* Names a span in all traces. */
struct otlp_place {
	struct otlp_id trace;
	uint64_t span; /* 0: none */
};

struct otlp_process {
	uint32_t trace;
	uint32_t pid;
};

/* A span that is open. */
struct otlp_span {
	struct otlp_place at;
	uint64_t parent; /* 0: none */
	struct otlp_place link; /* the scope around it, which is part of another trace */
	const char *name;
	uint64_t begin_ns;
	struct otlp_process process;
	uint32_t tid;
	uint32_t dropped; /* events */
	bool is_selected; /* an event passes `where` */
	VEC(char) attributes; /* JSON, with commas */
	VEC(char) events;
	uint32_t next; /* the next free one */
};

/* What is in the spans and what is not. */
struct otlp_counts {
	uint64_t spans;
	uint64_t unfinished;
	uint64_t unbegun; /* ends of scopes */
	uint64_t outside; /* events */
	uint64_t dropped; /* events */
};

struct otlp {
	struct export *export;
	struct pairs pairs;
	struct lives lives;
	struct lives_options lives_options;
	VEC(struct otlp_span) spans;
	uint32_t free; /* the first free one of `spans`; OTLP_NONE: none */
	size_t held; /* bytes of the events of open spans */
	struct keys by_flow; /* indices of `spans`: asynchronous scopes by their number */
	VEC(uint64_t) last_ns; /* by trace: time of the last record */
	struct out made; /* for attributes, events and ids */
	struct otlp_counts counts;
	/* of the current record: */
	struct otlp_place life; /* the life of which it is a step */
	struct otlp_place around; /* the scope that its thread is in */
	uint32_t inside; /* the span of that scope; OTLP_NONE: none */
	/* of the open request: */
	struct out request;
	uint64_t request_spans;
	struct otlp_process process; /* of its last span */
	bool has_failed; /* a request was not taken */
};

/* Opens a span that begins with a record. `name` outlives it. Returns its index. */
uint32_t otlp_open(struct otlp *o, const struct record *rec, const char *name, bool is_life);

/* Adds a record to an open span as an event. `is_last`: also to one that is full. */
void otlp_add(struct otlp *o, uint32_t span, const struct record *rec, bool is_last);

/* Notes whether a record selects the span. */
void otlp_select(struct otlp *o, uint32_t span, const struct record *rec);

/* Writes an open span, unless no event selected it, and frees it. */
void otlp_close(struct otlp *o, uint32_t span, uint64_t ns, enum life_outcome outcome);

/* ---- JSON ---- */

/* Writes a comma, unless a list or the output begins here. */
void otlp_put_comma(struct out *out);

/* Writes a string with its quotes. Bytes that are not UTF-8 are escaped as `waymark print` does. */
void otlp_put_string(struct out *out, const char *text);

/* Write `{"key":...,"value":...}`, after a comma if need be; nothing for a cell of NULL. */
void otlp_put_text(struct out *out, const char *key, const char *text);
void otlp_put_number(struct out *out, const char *key, uint64_t number);
void otlp_put_cell(struct out *out, const char *key, const struct cell *cell);

/* Writes the fields from index `from` on as attributes, without those that are secret. */
void otlp_put_fields(struct out *out, const struct record *rec, size_t from);

/* Begins a span in the open request, and ends it; the request may then be complete. */
struct out *otlp_begin_span(struct otlp *o, struct otlp_process process);
void otlp_end_span(struct otlp *o);

/* Completes the open request, and passes it on. */
void otlp_flush(struct otlp *o);

#endif
