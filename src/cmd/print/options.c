/* SPDX-License-Identifier: MIT */
/* The options that `waymark print` and `waymark attach` share, see cmd/print/print.h. */
#include "cmd/print/print.h"

#include <getopt.h>
#include <string.h>

#include "base/compiler.h"

static int set_time(struct print *p, const struct command *command, const char *text)
{
	static const char *const names[] = {
		[TIMESTAMP_ABSOLUTE] = "abs",
		[TIMESTAMP_RELATIVE] = "rel",
		[TIMESTAMP_DELTA] = "delta",
		[TIMESTAMP_WALL] = "wall",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(names[i], text) == 0) {
			p->time = (enum timestamp_mode)i;
			return 0;
		}
	}
	return arguments_bad(command, "--time is abs, rel, delta or wall, not '%s'", text);
}

static int set_colour(struct print *p, const struct command *command, const char *text)
{
	if (terminal_when_parse(&p->colour, text)) {
		return 0;
	}
	return arguments_bad(command, "--color is auto, always or never, not '%s'", text);
}

int print_take(struct print *p, const struct command *command, int key)
{
	switch (key) {
	case 'e':
		return session_declare(&p->session, optarg) ? 0 : ARGUMENTS_BAD;
	case 'o':
		p->output = optarg;
		return 0;
	case PRINT_KEY_TID:
		p->tid = true;
		return 0;
	case PRINT_KEY_TIME:
		return set_time(p, command, optarg);
	case PRINT_KEY_JSON:
		p->style = &lines_json;
		return 0;
	case PRINT_KEY_COLOUR:
		return set_colour(p, command, optarg);
	default:
		return key;
	}
}
