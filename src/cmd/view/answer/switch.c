/* SPDX-License-Identifier: MIT */
/*
 * The events of a running process that is shown, and switching them, through its monitor as
 * `waymark ctl` does: with the rights that this user has there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/ctl/ctl.h"
#include "cmd/ctl/monitor_target.h"
#include "cmd/view/answer/answers.h"
#include "view/message/json.h"

/* A page waits for the answer. */
#define TIMEOUT_MS 2000

static unsigned int fail(struct out *out, const char *error)
{
	out->len = 0;
	out_str(out, "{\"error\":");
	json_out_string(out, error);
	out_char(out, '}');
	return 400;
}

/* Connects to the monitor of the first trace's process; false, with the reason, if it has none. */
static bool connect_monitor(struct viewer *v, struct ctl *ctl)
{
	char pid[16];

	viewer_lock(v);
	snprintf(pid, sizeof(pid), "%u", v->session->reader->traces[0].pid);
	bool is_live = v->is_live && !v->is_done;

	viewer_unlock(v);
	if (!is_live) {
		client_fail(&ctl->client, CLIENT_UNREACHED, "no running process is shown");
		return false;
	}
	return monitor_target_open(&ctl->client, pid, TIMEOUT_MS);
}

/* Runs one of the functions of `waymark ctl` on a pattern. */
static unsigned int run(
	struct viewer *v, json_t *(*call)(struct ctl *ctl), const char *pattern, struct out *out)
{
	char *word = pattern ? strdup(pattern) : NULL;
	char *words[] = { word };
	struct ctl ctl = { .client.fd = -1, .words = words, .count = word ? 1 : 0 };
	json_t *result = connect_monitor(v, &ctl) ? call(&ctl) : NULL;
	unsigned int status = 200;

	if (result) {
		char *text = json_dumps(result, JSON_ENCODE_ANY | JSON_PRESERVE_ORDER);

		out_str(out, text ? text : "null");
		free(text);
		json_decref(result);
	} else {
		status = fail(out, ctl.client.error);
	}
	client_close(&ctl.client);
	free(word);
	return status;
}

unsigned int answer_events(struct viewer *v, const struct question *q, struct out *out)
{
	(void)q;
	return run(v, ctl_list, NULL, out);
}

unsigned int answer_switch(struct viewer *v, const struct question *q, struct out *out)
{
	const char *pattern = q->get(q->data, "pattern");
	const char *on = q->get(q->data, "on");

	if (!pattern || !*pattern) {
		return answer_refuse(out, "pattern", "a name, glob or /REGEX/ of events");
	}
	if (!on || (strcmp(on, "0") != 0 && strcmp(on, "1") != 0)) {
		return answer_refuse(out, "on", "1 or 0");
	}
	return run(v, *on == '1' ? ctl_on : ctl_off, pattern, out);
}
