/* SPDX-License-Identifier: MIT */
/* Creates and destroys sessions; has the table of dialects. */
#include "mon/session/session.h"

#include <stdlib.h>

#include "base/compiler.h"
#include "mon/session/command.h"
#include "mon/session/dialect.h"

static const struct json_rules qmp = {
	.format = JSON_ENSURE_ASCII,
	.negotiates = true,
};

static const struct json_rules stratovirt = {
	.format = JSON_COMPACT,
	.needs_arguments = true,
	.id_is_string = true,
	.takes_regex = true,
	.state_is_bool = true,
};

/* Rules of its tracing document of 2023, before the commands got their later names. */
static const struct json_rules stratovirt_2023 = {
	.format = JSON_COMPACT,
	.needs_arguments = true,
	.id_is_string = true,
	.takes_regex = true,
};

static const struct dialect dialects[] = {
	{ WAYMARK_MONITOR_QMP, QMP, &qmp, qmp_greet, qmp_feed },
	{ WAYMARK_MONITOR_HMP, HMP, NULL, hmp_greet, hmp_feed },
	{ WAYMARK_MONITOR_STRATOVIRT, STRATOVIRT, &stratovirt, qmp_greet, qmp_feed },
	{ WAYMARK_MONITOR_STRATOVIRT_2023, STRATOVIRT, &stratovirt_2023, qmp_greet, qmp_feed },
};

struct monitor_session *session_create(const struct waymark_monitor_options *options)
{
	struct monitor_session *s = calloc(1, sizeof(*s));

	for (size_t i = 0; s && i < ARRAY_SIZE(dialects); i++) {
		if (dialects[i].mode == options->mode) {
			s->dialect = &dialects[i];
		}
	}
	if (!s || !s->dialect) {
		free(s);
		return NULL;
	}
	s->prompt = options->prompt ? options->prompt : "(waymark) ";
	s->negotiated = !s->dialect->json || !s->dialect->json->negotiates;
	return s;
}

int session_greet(struct monitor_session *s, FILE *out)
{
	s->dialect->greet(s, out);
	return 0;
}

int session_feed(struct monitor_session *s, const char *bytes, size_t size, FILE *out)
{
	return s->ended ? -1 : s->dialect->feed(s, bytes, size, out);
}

bool session_holds(const struct monitor_session *s)
{
	return s->holds.count > 0;
}

void session_destroy(struct monitor_session *s)
{
	if (!s) {
		return;
	}
	holds_release(&s->holds);
	json_scan_fini(&s->scan);
	free(s->line);
	free(s);
}
