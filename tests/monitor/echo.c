/* SPDX-License-Identifier: MIT */
/*
 * A session for tests of the server: it echoes each line, except for the words of the table, which
 * act in ways that a server must handle.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "mon/session/session.h"

#define LINE_BYTES (1u << 20)

struct monitor_session {
	char *held; /* path of the file that reports the end of this client */
	size_t size;
	char line[LINE_BYTES + 1];
};

static int sleep_ms(struct monitor_session *s, const char *ms, FILE *out)
{
	long n = atol(ms);
	struct timespec time = { n / 1000, n % 1000 * 1000000 };

	(void)s;
	nanosleep(&time, NULL);
	fprintf(out, "slept\n");
	return 0;
}

/* Sessions of all monitors share this. */
static pthread_mutex_t common = PTHREAD_MUTEX_INITIALIZER;

static int sleep_locked(struct monitor_session *s, const char *ms, FILE *out)
{
	pthread_mutex_lock(&common);
	sleep_ms(s, ms, out);
	pthread_mutex_unlock(&common);
	return 0;
}

static int flood(struct monitor_session *s, const char *bytes, FILE *out)
{
	(void)s;
	for (long n = atol(bytes); n > 0 && !ferror(out); n--) {
		putc('x', out);
	}
	fputs("\n", out);
	return 0;
}

/* When the session ends, the file gets a line with the pid that ended it. */
static int hold(struct monitor_session *s, const char *path, FILE *out)
{
	free(s->held);
	s->held = strdup(path);
	fputs("held\n", out);
	return 0;
}

static int open_file(struct monitor_session *s, const char *path, FILE *out)
{
	(void)s;
	fprintf(out, "%d\n", open(path, O_RDONLY | O_CLOEXEC));
	return 0;
}

static int say_where(struct monitor_session *s, const char *rest, FILE *out)
{
	char name[16];

	(void)s;
	(void)rest;
	prctl(PR_GET_NAME, name);
	fprintf(out, "%d %s\n", (int)getpid(), name);
	return 0;
}

static int quit(struct monitor_session *s, const char *rest, FILE *out)
{
	(void)s;
	(void)rest;
	fputs("bye\n", out);
	return -1;
}

static const struct {
	const char *word;
	int (*run)(struct monitor_session *s, const char *rest, FILE *out);
} words[] = {
	{ "sleep ", sleep_ms },
	{ "lock ", sleep_locked },
	{ "flood ", flood },
	{ "hold ", hold },
	{ "open ", open_file },
	{ "where", say_where },
	{ "quit", quit },
};

static int answer(struct monitor_session *s, FILE *out)
{
	s->line[s->size] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t length = strlen(words[i].word);

		if (strncmp(s->line, words[i].word, length) == 0) {
			return words[i].run(s, s->line + length, out);
		}
	}
	fwrite(s->line, 1, s->size, out);
	fputs("\n", out);
	return 0;
}

struct monitor_session *session_create(const struct waymark_monitor_options *options)
{
	struct monitor_session *s = calloc(1, sizeof(*s));

	(void)options;
	return s;
}

int session_greet(struct monitor_session *s, FILE *out)
{
	(void)s;
	fputs("ready\n", out);
	return 0;
}

int session_feed(struct monitor_session *s, const char *bytes, size_t size, FILE *out)
{
	for (size_t i = 0; i < size; i++) {
		if (s->size == LINE_BYTES) {
			fputs("error: a line of more than 1 MiB\n", out);
			return -1;
		}
		if (bytes[i] != '\n') {
			s->line[s->size++] = bytes[i];
			continue;
		}
		if (answer(s, out)) {
			return -1;
		}
		s->size = 0;
	}
	return 0;
}

bool session_holds(const struct monitor_session *s)
{
	return s->held != NULL;
}

void session_destroy(struct monitor_session *s)
{
	if (s && s->held) {
		FILE *f;

		pthread_mutex_lock(&common);
		f = fopen(s->held, "a");
		if (f) {
			fprintf(f, "%d\n", (int)getpid());
			fclose(f);
		}
		pthread_mutex_unlock(&common);
		free(s->held);
	}
	free(s);
}
