/* SPDX-License-Identifier: MIT */
/* What a recovery finds to be lost said in the trace, see recover/recover_gaps.h. */
#include "recover/recover_gaps.h"

#include <inttypes.h>
#include <stdio.h>

/* Packets that are in no file and not in memory: they are gone, and the trace must say so. */
static bool mark_missing(struct stream_files *s, struct recover_result *result)
{
	ctf_index_find_left(&s->losses, s->held, s->held_count);
	vec_foreach (const struct ctf_index_lost *, lost, &s->losses.all) {
		if (lost->sequences.count == 0) {
			continue;
		}
		if (!stream_files_mark_missing(s, lost)) {
			return false;
		}
		if (result->missing == 0) {
			ctf_index_word(lost, result->fault, sizeof(result->fault));
		}
		result->missing += lost->sequences.count;
		result->changed = true;
	}
	return true;
}

static void note_torn(struct recover_result *result, const struct stream_file *f)
{
	const struct torn_packet *t = &f->torn;

	if (result->missing++ > 0) {
		return;
	}
	int n = snprintf(result->fault, sizeof(result->fault),
		"%s: packet %" PRIu64 " at byte %" PRIu64 " is cut: ", f->name, t->sequence,
		t->offset);

	snprintf(result->fault + n, sizeof(result->fault) - (size_t)n,
		t->missing ? "the events in its last %" PRIu64 " bytes are lost"
			   : "its events are lost",
		t->missing);
}

/* What the ends of files cut out of packets, and memory does not have. */
static bool mark_torn(struct stream_files *s, struct recover_result *result)
{
	vec_foreach (const struct stream_file *, f, &s->all) {
		if (f->torn.sequence == 0) {
			continue;
		}
		if (!stream_files_mark_torn(s, f)) {
			return false;
		}
		note_torn(result, f);
		result->changed = true;
	}
	return true;
}

bool recover_mark_gaps(struct stream_files *s, struct recover_result *result)
{
	return mark_missing(s, result) && mark_torn(s, result);
}
