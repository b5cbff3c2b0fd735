/* SPDX-License-Identifier: MIT */
/* What waymark/reader.h hides, for the files that implement it. One thread a reader. */
#ifndef API_READER_OBJECT_H
#define API_READER_OBJECT_H

#include <waymark/reader.h>

#include "api/declarations.h"
#include "read/pace.h"
#include "read/reader.h"
#include "text/out.h"

struct waymark_reader {
	struct reader *reader;
	struct declarations declarations;
	struct record record;
	int state; /* of enum waymark_read */
	int wait_ms; /* below 0: for ever */
	struct pace pace;
	const char **paths;
	struct arena arena; /* of the paths and messages */
	VEC(struct message *) messages; /* by class index; NULL until first needed */
	struct out text; /* the message last asked for */
	struct out field; /* the debug value last asked for */
};

/* The class of the event that the reader stands at, or NULL. */
__attribute__((visibility("hidden"))) const struct event_class *reader_current(
	const struct waymark_reader *r);

/* The decoded fields, NULL where nothing is known of them. */
__attribute__((visibility("hidden"))) const struct value *reader_get_values(
	struct waymark_reader *r);

#endif
