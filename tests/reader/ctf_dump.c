/* SPDX-License-Identifier: MIT */
/*
 * Prints a trace through the public reader for ctf_compare.py, a line an event: seconds
 * since 1970 (or boot, if it has no time of day), thread, name, name=value; strings as
 * s:<hex>, NULL as s:NULL. Prints the number of lost events to standard error.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <waymark/reader.h>

static void put_string(struct waymark_reader *r, size_t field)
{
	size_t length;
	const char *text = waymark_reader_string(r, field, &length);

	fputs(text ? "s:" : "s:NULL", stdout);
	for (size_t i = 0; i < length && text[i]; i++) {
		printf("%02x", (unsigned char)text[i]);
	}
}

static void put_field(struct waymark_reader *r, size_t field)
{
	printf(" %s=", waymark_reader_field_name(r, field));
	switch (waymark_reader_field_kind(r, field)) {
	case WAYMARK_FIELD_STRING:
		put_string(r, field);
		break;
	case WAYMARK_FIELD_SIGNED:
		printf("%" PRId64, waymark_reader_i64(r, field));
		break;
	default:
		printf("%" PRIu64, waymark_reader_u64(r, field));
		break;
	}
}

static void put_event(struct waymark_reader *r)
{
	uint64_t realtime = waymark_reader_realtime(r);
	uint64_t ns = realtime ? realtime : waymark_reader_time(r);

	printf("%" PRIu64 ".%09" PRIu64 " %" PRIu32 " %s", ns / 1000000000, ns % 1000000000,
		waymark_reader_tid(r), waymark_reader_name(r));
	for (size_t i = 0; i < waymark_reader_field_count(r); i++) {
		put_field(r, i);
	}
	putchar('\n');
}

int main(int argc, char **argv)
{
	char error[512] = "a trace is wanted";
	const char *const *paths = (const char *const *)(argv + 1);
	struct waymark_reader *r = argc > 1 ? waymark_reader_open_several(paths, (size_t)argc - 1,
						      NULL, error, sizeof(error))
					    : NULL;
	uint64_t lost = 0;
	int what = WAYMARK_READ_DAMAGED;
	int status = EXIT_SUCCESS;

	while (r && (what = waymark_reader_next(r)) != WAYMARK_READ_END) {
		if (what == WAYMARK_READ_EVENT) {
			put_event(r);
		} else if (what < 0) {
			fprintf(stderr, "%s\n", waymark_reader_error(r));
			status = EXIT_FAILURE;
		}
		lost += waymark_reader_lost(r);
		if (what == WAYMARK_READ_DAMAGED) {
			break;
		}
	}
	if (!r) {
		fprintf(stderr, "%s\n", error);
		status = EXIT_FAILURE;
	}
	fprintf(stderr, "lost %" PRIu64 "\n", lost);
	waymark_reader_close(r);
	return status;
}
