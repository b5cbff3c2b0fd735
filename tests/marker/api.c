/* SPDX-License-Identifier: MIT */
/* Prints each record of a trace with the reader's C API: the name, then its fields. */
#include <stdio.h>

#include <waymark/reader.h>

/* Prints the name's length and bytes, which may be any bytes; NULL is `-`. */
static void put(const char *text, size_t length)
{
	if (!text) {
		printf(" -");
		return;
	}
	printf(" %zu:", length);
	fwrite(text, 1, length, stdout);
}

static void put_field(struct waymark_reader *r, size_t i)
{
	const char *name = waymark_reader_field_name(r, i);
	size_t length = 0;

	printf(" %s=", name);
	switch (waymark_reader_field_kind(r, i)) {
	case WAYMARK_FIELD_STRING:
	case WAYMARK_FIELD_DEBUG: {
		const char *text = waymark_reader_string(r, i, &length);

		put(text, length);
		break;
	}
	case WAYMARK_FIELD_FLOAT:
		printf("%g", waymark_reader_double(r, i));
		break;
	default:
		printf("%lld", (long long)waymark_reader_i64(r, i));
	}
}

int main(int argc, char **argv)
{
	char error[512];
	struct waymark_reader *r =
		argc == 2 ? waymark_reader_open(argv[1], NULL, error, sizeof(error)) : NULL;

	if (!r) {
		return 2;
	}
	while (waymark_reader_next(r) == WAYMARK_READ_EVENT) {
		const char *name = waymark_reader_name(r);
		size_t length;
		const char *message = waymark_reader_message(r, &length);

		printf("%s", name);
		put(message, length);
		for (size_t i = 0; i < waymark_reader_field_count(r); i++) {
			put_field(r, i);
		}
		putchar('\n');
	}
	waymark_reader_close(r);
	return 0;
}
