/* SPDX-License-Identifier: MIT */
/* Shows progress by overwriting one line of the terminal, and erases it before any message. */
#include "cmd/terminal.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"

#define FIRST_NS UINT64_C(1000000000)
#define STEP_NS UINT64_C(200000000)

bool terminal_when_parse(enum terminal_when *when, const char *text)
{
	static const char *const names[] = {
		[TERMINAL_AUTO] = "auto",
		[TERMINAL_ALWAYS] = "always",
		[TERMINAL_NEVER] = "never",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], text) == 0) {
			*when = (enum terminal_when)i;
			return true;
		}
	}
	return false;
}

/* True if `fd` is a terminal that understands escape sequences. */
static bool is_terminal(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

bool terminal_wants_colour(enum terminal_when when, int fd)
{
	const char *no_color = getenv("NO_COLOR");

	if (when != TERMINAL_AUTO) {
		return when == TERMINAL_ALWAYS;
	}
	return is_terminal(fd) && !(no_color && *no_color);
}

void progress_init(struct progress *p, const char *name, int out_fd)
{
	*p = (struct progress){ .name = name };
	p->wanted = is_terminal(STDERR_FILENO) && !isatty(out_fd);
	p->next_ns = p->wanted ? clock_now_ns() + FIRST_NS : 0;
}

void progress_show(struct progress *p, double done)
{
	uint64_t now = p->wanted ? clock_now_ns() : 0;

	if (!p->wanted || now < p->next_ns || done < 0) {
		return;
	}
	fprintf(stderr, "\r\033[K%s: %d %%", p->name, (int)(done * 100));
	fflush(stderr);
	p->shown = true;
	p->next_ns = now + STEP_NS;
}

void progress_note(struct progress *p, const char *name, const char *text)
{
	if (!p->shown && is_terminal(STDERR_FILENO)) {
		fprintf(stderr, "\r\033[K%s: %s", name, text);
		fflush(stderr);
		p->shown = true;
	}
}

void progress_erase(struct progress *p)
{
	if (p->shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
		p->shown = false;
	}
}
