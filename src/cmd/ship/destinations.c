/* SPDX-License-Identifier: MIT */
/* All destinations: their names, folders and metrics. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cmd/escaped.h"
#include "cmd/metrics/metrics.h"
#include "cmd/ship/run.h"

#define NAME "waymark ship"

/* ---- Destinations ---- */

/* Returns SERVER+DATABASE, as a file may be named. The caller frees it. */
static char *name_of(const struct servers *s)
{
	struct out name;

	out_init(&name, OUT_TO_MEMORY);
	out_printf(&name, "%s+%s", s->all.items[0].name, s->database);
	out_char(&name, '\0');
	return name.data;
}

/* Makes the counts of all servers, in memory that child processes share. */
static void make_counts(struct ship_command *c)
{
	size_t servers = 0;

	for (size_t i = 0; i < c->destination_count; i++) {
		servers += c->destinations[i].servers.all.count;
	}
	struct sender_counts *counts = mmap(NULL, servers * sizeof(*counts), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (counts == MAP_FAILED) {
		counts = xcalloc(servers, sizeof(*counts)); /* metrics of children stay 0 */
	}
	for (size_t i = 0; i < c->destination_count; i++) {
		c->destinations[i].counts = counts;
		counts += c->destinations[i].servers.all.count;
	}
}

static bool has_server(const struct servers *s, const char *replicas)
{
	vec_foreach (const struct server *, server, &s->all) {
		if (server_shares(server, replicas)) {
			return true;
		}
	}
	return false;
}

/* Returns the server of a destination that one before it has, too: it would get rows twice. */
static const char *find_twin(const struct ship_command *c, const struct ship_destination *d)
{
	for (const struct ship_destination *o = c->destinations; o < d; o++) {
		bool is_same = strcmp(o->servers.database, d->servers.database) == 0;

		vec_foreach (const struct server *, server, &d->servers.all) {
			if (is_same && has_server(&o->servers, server->replicas)) {
				return server->replicas;
			}
		}
	}
	return NULL;
}

bool destinations_init(struct ship_command *c)
{
	c->destinations = xcalloc(c->places.count, sizeof(*c->destinations));
	vec_foreach (const char **, place, &c->places) {
		struct ship_destination *d = &c->destinations[c->destination_count++];

		if (!servers_init(&d->servers, *place)) {
			ship_report(&c->report, d->servers.error);
			return false;
		}
		d->servers.authority = c->authority;
		d->name = name_of(&d->servers);
		const char *twin = find_twin(c, d);

		if (twin) {
			escaped_say(NAME, "--to names %s/%s twice: it would get each event twice",
				twin, d->servers.database);
			return false;
		}
	}
	make_counts(c);
	return true;
}

void destinations_fini(struct ship_command *c)
{
	for (size_t i = 0; i < c->destination_count; i++) {
		servers_fini(&c->destinations[i].servers);
		free(c->destinations[i].name);
		free(c->destinations[i].state);
	}
	free(c->destinations);
}

/* ---- Folders ---- */

static char *folder_of(const struct ship_command *c, const struct ship_destination *d)
{
	struct out path;

	out_init(&path, OUT_TO_MEMORY);
	out_printf(&path, "%s/%s", c->state, d->name);
	out_char(&path, '\0');
	return path.data;
}

/* Returns the destination that used the folder alone; "": unknown or damaged; NULL: none. */
static char *user_of_folder(const struct ship_command *c)
{
	struct out path;

	out_init(&path, OUT_TO_MEMORY);
	out_printf(&path, "%s/positions", c->state);
	out_char(&path, '\0');
	json_t *positions = json_load_file(path.data, 0, NULL);
	const char *name = json_string_value(json_object_get(positions, "to"));
	bool is_used = positions || access(path.data, F_OK) == 0;
	char *user = is_used ? xstrdup(name ? name : "") : NULL;

	json_decref(positions);
	out_fini(&path);
	return user;
}

/*
 * A destination has a folder of its own, named like it. One that is or was alone has all of the
 * folder, and keeps it when others come.
 */
bool destinations_choose_states(struct ship_command *c)
{
	char *user = user_of_folder(c);
	bool is_alone = c->destination_count == 1;

	if (mkdir(c->state, 0700) != 0 && errno != EEXIST) {
		escaped_say(NAME, "%s: %s", c->state, strerror(errno));
		free(user);
		return false;
	}
	for (size_t i = 0; i < c->destination_count; i++) {
		struct ship_destination *d = &c->destinations[i];
		bool is_user = user && (strcmp(user, d->name) == 0 || (!*user && i == 0));

		d->state = folder_of(c, d);
		if (access(d->state, F_OK) != 0 && (is_alone || is_user)) {
			free(d->state);
			d->state = xstrdup(c->state);
		}
	}
	free(user);
	return true;
}

/* ---- Metrics ---- */

/* A metric of the shipper: a row for each server. */
struct own_metric {
	const char *name;
	const char *type;
	const char *help;
	size_t offset; /* in struct sender_counts */
};

#define AT(field) offsetof(struct sender_counts, field)

static const struct own_metric own_metrics[] = {
	{ "waymark_ship_rows_total", "counter", "rows that the server has confirmed", AT(rows) },
	{ "waymark_ship_bytes_total", "counter", "compressed bytes of these", AT(bytes) },
	{ "waymark_ship_spool_bytes", "gauge", "bytes of batches that wait", AT(waiting) },
	{ "waymark_ship_failures", "gauge", "requests in a row that failed", AT(failures) },
};

/* Writes a text between quotes. */
static void put_quoted(struct out *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\') {
			out_char(out, '\\');
		}
		out_char(out, *text);
	}
}

static void put_row(struct out *out, const struct own_metric *m, const struct ship_destination *d,
	size_t server)
{
	const char *counts = (const char *)&d->counts[server];
	const uint64_t *value = (const uint64_t *)(const void *)(counts + m->offset);

	out_printf(out, "%s{server=\"", m->name);
	put_quoted(out, d->servers.all.items[server].replicas);
	out_str(out, "\",database=\"");
	put_quoted(out, d->servers.database);
	out_printf(out, "\"} %" PRIu64 "\n", __atomic_load_n(value, __ATOMIC_RELAXED));
}

/* Writes the metrics of the processes, and the shipper's own. */
static void put_metrics(void *command, struct out *out)
{
	const struct ship_command *c = command;

	metrics_put(out);
	latencies_put(c->latencies, out);
	for (size_t m = 0; m < ARRAY_SIZE(own_metrics); m++) {
		out_printf(out, "# HELP %s %s\n# TYPE %s %s\n", own_metrics[m].name,
			own_metrics[m].help, own_metrics[m].name, own_metrics[m].type);
		for (size_t i = 0; i < c->destination_count; i++) {
			for (size_t s = 0; s < c->destinations[i].servers.all.count; s++) {
				put_row(out, &own_metrics[m], &c->destinations[i], s);
			}
		}
	}
}

bool destinations_answer(struct ship_command *c)
{
	char error[512];

	if (!c->metrics) {
		return true;
	}
	c->latencies = c->has_latencies ? latencies_follow("waymark ship") : NULL;
	if (c->has_latencies && !c->latencies) {
		return false;
	}
	c->scrape = scrape_begin(c->metrics, put_metrics, c, error, sizeof(error));
	if (!c->scrape) {
		ship_report(&c->report, error);
	}
	return c->scrape;
}

void destinations_end_answer(struct ship_command *c)
{
	scrape_end(c->scrape);
	latencies_end(c->latencies);
}
