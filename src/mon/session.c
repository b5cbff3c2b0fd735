/* SPDX-License-Identifier: MIT */
/* See session.h. For now it returns every line that it gets. */
#include <stdlib.h>
#include <string.h>

#include "mon/session.h"

#define LINE_MAX_BYTES (1u << 20)

struct session {
	size_t size;
	char line[LINE_MAX_BYTES];
};

struct session *session_create(const struct waymark_monitor_options *options)
{
	(void)options;
	return malloc(sizeof(struct session));
}

int session_greet(struct session *s, FILE *out)
{
	s->size = 0;
	fputs("ready\n", out);
	return 0;
}

/* What a line asks for. */
static int answer(const struct session *s, FILE *out)
{
	if (s->size == 5 && memcmp(s->line, "quit\n", 5) == 0) {
		return -1;
	}
	fwrite(s->line, 1, s->size, out);
	return 0;
}

int session_feed(struct session *s, const char *bytes, size_t size, FILE *out)
{
	for (size_t i = 0; i < size; i++) {
		if (s->size == LINE_MAX_BYTES) {
			fputs("error: a line of more than 1 MiB\n", out);
			return -1;
		}
		s->line[s->size++] = bytes[i];
		if (bytes[i] == '\n') {
			if (answer(s, out)) {
				return -1;
			}
			s->size = 0;
		}
	}
	return 0;
}

void session_destroy(struct session *s)
{
	free(s);
}
