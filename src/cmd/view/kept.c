/* SPDX-License-Identifier: MIT */
/* The tracks that `--tracks` names, by the names that the page shows. Called by save.c. */
#include "cmd/view/kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "cmd/view/answer/answers.h"
#include "view/message/json.h"

bool kept_read(struct kept *c, const char *list, char *why, size_t size)
{
	bool ok = true;
	char *rest;

	free(c->list);
	c->list = xstrdup(list);
	for (char *word = strtok_r(c->list, ",", &rest); word && ok;
		word = strtok_r(NULL, ",", &rest)) {
		struct name_pattern pattern = { 0 };

		ok = name_pattern_read(&pattern, word, why, size);
		if (ok) {
			vec_push(&c->patterns, pattern);
		}
	}
	if (ok && c->patterns.count == 0) {
		snprintf(why, size, "names with commas are missing");
		ok = false;
	}
	return ok;
}

void kept_fini(struct kept *c)
{
	vec_foreach (struct name_pattern *, p, &c->patterns) {
		name_pattern_fini(p);
	}
	vec_foreach (char **, name, &c->names.all) {
		free(*name);
	}
	vec_fini(&c->patterns);
	vec_fini(&c->names.all);
	free(c->list);
}

/* ---- Names ---- */

static void add_name(void *names, const char *name)
{
	struct kept_names *all = names;

	if (*name) {
		vec_push(&all->all, xstrdup(name));
	}
}

static void put_process_name(const struct timeline_process *p, char *text, size_t size)
{
	snprintf(text, size, "%s%s%u", p->name, *p->name ? " " : "", p->pid);
}

static void put_track_name(const struct level_track *t, char *text, size_t size)
{
	if (t->is_lane) {
		snprintf(text, size, "%s", t->name);
	} else if (t->tid) {
		snprintf(text, size, "thread %u", t->tid);
	} else {
		snprintf(text, size, "all threads");
	}
}

/* Collects the names of all that the page shows, some of them several times. */
static void collect(struct viewer *v, struct kept_names *all)
{
	char text[KEPT_NAME];

	vec_foreach (const struct timeline_process *, p, &v->levels.timeline.processes) {
		add_name(all, p->name);
		put_process_name(p, text, sizeof(text));
		add_name(all, text);
	}
	vec_foreach (const struct level_track *, t, &v->levels.tracks) {
		put_track_name(t, text, sizeof(text));
		add_name(all, text);
	}
	view_lives_names(v, add_name, all);
	view_wanted_fields(v, add_name, all);
	view_sched_names(v, add_name, all);
}

/* Reports a pattern that no name matches. */
static void say_none(struct viewer *v, const struct name_pattern *p, const struct kept_names *all)
{
	struct nearest nearest = nearest_begin(p->text, strlen(p->text));

	vec_foreach (char *const *, name, &all->all) {
		nearest_offer(&nearest, *name);
	}
	if (nearest_is_near(&nearest)) {
		session_say(v->session, "--tracks: no track matches '%s'; did you mean '%s'?",
			p->text, nearest.name);
	} else {
		session_say(v->session,
			"--tracks: no track matches '%s'; names are as the page shows them: a "
			"process, 'thread 12', a lane, a kind of objects, a curve, 'CPU 0'",
			p->text);
	}
}

static bool has_name(const struct kept *c, const char *name)
{
	vec_foreach (char *const *, known, &c->names.all) {
		if (strcmp(*known, name) == 0) {
			return true;
		}
	}
	return false;
}

/* Adds the names that match a pattern; false if there is none. */
static bool find_names(struct kept *c, const struct name_pattern *p, struct kept_names *all)
{
	bool is_found = false;

	vec_foreach (char *const *, name, &all->all) {
		if (name_pattern_meets(p, *name)) {
			is_found = true;
			if (!has_name(c, *name)) {
				vec_push(&c->names.all, xstrdup(*name));
			}
		}
	}
	return is_found;
}

bool kept_find(struct kept *c, struct viewer *v)
{
	struct kept_names all = { 0 };
	bool ok = true;

	if (c->patterns.count > 0) {
		collect(v, &all);
	}
	vec_foreach (const struct name_pattern *, p, &c->patterns) {
		if (ok && !find_names(c, p, &all)) {
			say_none(v, p, &all);
			ok = false;
		}
	}
	vec_foreach (char **, name, &all.all) {
		free(*name);
	}
	vec_fini(&all.all);
	return ok;
}

bool kept_has_track(const struct kept *c, const struct levels *l, const struct level_track *t)
{
	const struct timeline_process *p = &l->timeline.processes.items[t->process];
	char text[KEPT_NAME];

	if (c->patterns.count == 0 || has_name(c, p->name)) {
		return true;
	}
	put_process_name(p, text, sizeof(text));
	if (has_name(c, text)) {
		return true;
	}
	put_track_name(t, text, sizeof(text));
	return has_name(c, text);
}

void kept_put(const struct kept *c, struct out *out)
{
	if (c->patterns.count == 0) {
		out_str(out, "null");
		return;
	}
	for (size_t i = 0; i < c->names.all.count; i++) {
		out_char(out, i ? ',' : '[');
		json_out_string(out, c->names.all.items[i]);
	}
	out_char(out, ']');
}
