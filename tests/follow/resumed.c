/* SPDX-License-Identifier: MIT */
/*
 * resumed TRACE SEED: prints a trace as `waymark print --follow` does, with many readers one after
 * the other. Each goes on where the one before it ended, after a random number of records.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "read/reader.h"

#define RECORDS_MAX 10000
#define SECOND 1000000000u

static void put_head(const char *mark, const struct record *rec)
{
	printf("%s%" PRIu64 ".%09" PRIu64 " %" PRIu32, mark, rec->ns / SECOND, rec->ns % SECOND,
		rec->pid);
}

static void put(struct reader *r, const struct record *rec)
{
	if (rec->kind == RECORD_GAP) {
		put_head("# ", rec);
		printf(" lost %" PRIu64 " events, %" PRIu64 " packets\n", losses_events(&rec->gap),
			losses_packets(&rec->gap));
		return;
	}
	if (rec->class->is_own) {
		return;
	}
	const struct value *v = reader_values(r, rec);

	put_head("", rec);
	printf(" %s thread %" PRIu64 " step %" PRIu64 "\n", rec->class->name, v[0].number,
		v[1].number);
}

/* Prints up to `room` records; returns why it ended. */
static enum read_result read_some(struct reader *r, unsigned int room)
{
	const struct timespec wait = { 0, 1000000 };
	enum read_result result = READ_RECORD;
	struct record rec;

	while (room-- > 0 && (result = reader_next(r, &rec)) != READ_END) {
		if (result == READ_RECORD) {
			put(r, &rec);
		} else if (result == READ_NOTHING) {
			nanosleep(&wait, NULL);
		} else {
			fprintf(stderr, "%s\n", r->error.text);
			exit(EXIT_FAILURE);
		}
	}
	return result;
}

int main(int argc, char **argv)
{
	struct reader_positions positions = { 0 };
	struct read_error error;
	enum read_result result;

	if (argc != 3) {
		return EXIT_FAILURE;
	}
	srand((unsigned int)atoi(argv[2]));
	do {
		const struct reader_options options = {
			.follow = FOLLOW_ALL, .stays = true, .positions = &positions
		};
		struct reader *r = reader_open(argv[1], &options, &error);

		if (!r) {
			fprintf(stderr, "%s\n", error.text);
			return EXIT_FAILURE;
		}
		result = read_some(r, (unsigned int)(rand() % RECORDS_MAX));
		reader_positions(r, &positions);
		reader_close(r);
	} while (result != READ_END);
	vec_fini(&positions.all);
	vec_fini(&positions.credits);
	return EXIT_SUCCESS;
}
