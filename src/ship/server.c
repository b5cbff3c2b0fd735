/* SPDX-License-Identifier: MIT */
/*
 * A request is one POST. The server's errors are `Code: N, e.displayText() = TEXT`, in the words of
 * its version; the user reads them as they are.
 */
#include "ship/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"

#define PLAIN "clickhouse://"
#define ENCRYPTED "clickhouses://"
#define PORT_PLAIN "8123"
#define PORT_ENCRYPTED "8443"
#define REQUEST_MS 120000L
#define NS_PER_S INT64_C(1000000000)
#define TIME_MAX_S (INT64_MAX / NS_PER_S / 2) /* the year 2116 */

/* ---- The place ---- */

static char *copy(const char *text, size_t length)
{
	char *made = xcalloc(length + 1, 1);

	memcpy(made, text, length);
	return made;
}

/* Takes USER[:PASSWORD]. */
static void set_user(struct servers *s, const char *text, size_t length)
{
	const char *colon = memchr(text, ':', length);
	size_t user = colon ? (size_t)(colon - text) : length;

	s->user = copy(text, user);
	if (colon) {
		free(s->password);
		s->password = copy(colon + 1, length - user - 1);
	}
}

/* Writes HOST[:PORT] with its port; an address of IPv6 is in brackets. False if it is none. */
static bool put_replica(struct out *to, const struct servers *s, const char *text, size_t length)
{
	const char *bracket = memchr(text, ']', length);
	const char *from = bracket ? bracket : text;
	bool has_port = memchr(from, ':', length - (size_t)(from - text)) != NULL;

	out_bytes(to, text, length);
	if (!has_port) {
		out_printf(to, ":%s", s->is_encrypted ? PORT_ENCRYPTED : PORT_PLAIN);
	}
	return length > 0 && *text != ':';
}

/* Asks the replica at `at`. */
static void set_replica(struct server *s, const char *at)
{
	free(s->name);
	s->at = at;
	s->name = copy(at, strcspn(at, "|"));
}

/* Adds the replicas of a server. False if one is none. */
static bool add_server(struct servers *s, const char *text, size_t length)
{
	struct server server = { .of = s, .ahead_s = INT64_MIN };
	const char *end = text + length;
	struct out names;
	bool is_ok = true;

	out_init(&names, OUT_TO_MEMORY);
	for (size_t size; is_ok; text += size + 1) {
		size = strcspn(text, "|,/");
		is_ok = put_replica(&names, s, text, size);
		if (text + size >= end) {
			break;
		}
		out_char(&names, '|');
	}
	out_char(&names, '\0');
	server.replicas = names.data;
	set_replica(&server, server.replicas);
	http_init(&server.http, REQUEST_MS);
	vec_push(&s->all, server);
	return is_ok;
}

bool server_next(struct server *s)
{
	const char *end = s->at + strcspn(s->at, "|");

	set_replica(s, *end ? end + 1 : s->replicas);
	return s->at != s->replicas;
}

/* True if the replica at the begin of `name` is one of `replicas`. */
static bool has_replica(const char *replicas, const char *name)
{
	size_t length = strcspn(name, "|");

	for (const char *at = replicas;; at++) {
		size_t own = strcspn(at, "|");

		if (own == length && strncmp(at, name, length) == 0) {
			return true;
		}
		at += own;
		if (!*at) {
			return false;
		}
	}
}

bool server_shares(const struct server *s, const char *replicas)
{
	for (const char *at = replicas;; at++) {
		if (has_replica(s->replicas, at)) {
			return true;
		}
		at += strcspn(at, "|");
		if (!*at) {
			return false;
		}
	}
}

static bool fail_place(struct servers *s, const char *place)
{
	return error_set(s->error,
		"'%.200s' is no destination: write clickhouse://[USER@]HOST[:PORT]/DATABASE",
		place);
}

bool servers_init(struct servers *s, const char *place)
{
	const char *password = getenv("CLICKHOUSE_PASSWORD");
	bool is_ok = true;

	*s = (struct servers){ .is_encrypted = strncmp(place, ENCRYPTED, strlen(ENCRYPTED)) == 0 };
	if (!s->is_encrypted && strncmp(place, PLAIN, strlen(PLAIN)) != 0) {
		return fail_place(s, place);
	}
	const char *at = place + strlen(s->is_encrypted ? ENCRYPTED : PLAIN);
	const char *end = at + strcspn(at, "/");

	s->password = password ? xstrdup(password) : NULL;
	for (const char *c = end; c > at; c--) { /* a password may have an @ */
		if (c[-1] == '@') {
			set_user(s, at, (size_t)(c - 1 - at));
			at = c;
			break;
		}
	}
	do {
		size_t length = strcspn(at, ",/");

		is_ok = is_ok && add_server(s, at, length);
		at += length;
	} while (*at == ',' && at++);
	s->database = xstrdup(*at == '/' && at[1] ? at + 1 : "waymark");
	return (is_ok && !strchr(s->database, '/')) || fail_place(s, place);
}

void servers_fini(struct servers *s)
{
	vec_foreach (struct server *, server, &s->all) {
		free(server->replicas);
		free(server->name);
		http_fini(&server->http);
	}
	vec_fini(&s->all);
	free(s->database);
	free(s->user);
	free(s->password);
}

/* ---- Requests ---- */

static int64_t realtime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/*
 * Compares the server's clock with this host's: it told its time, to a second, between two moments.
 * So a quick answer says most, and stays until another one contradicts it, as a clock was set.
 */
static void compare_clocks(struct server *s, int64_t theirs_s, int64_t begun_ns)
{
	int64_t ended_ns = realtime_ns();

	if (theirs_s < 0 || theirs_s > TIME_MAX_S || ended_ns < begun_ns) {
		return; /* also HTTP_NO_DATE */
	}
	int64_t ahead_ns = theirs_s * NS_PER_S + NS_PER_S / 2 - (begun_ns / 2 + ended_ns / 2);
	int64_t unsure_ns = (ended_ns - begun_ns) / 2 + NS_PER_S / 2;

	if (s->unsure_ns && unsure_ns >= s->unsure_ns &&
		llabs(ahead_ns - s->ahead_ns) <= unsure_ns + s->unsure_ns) {
		return;
	}
	s->ahead_ns = ahead_ns;
	s->unsure_ns = unsure_ns;
	int64_t sure_ns = llabs(ahead_ns) > unsure_ns ? ahead_ns : 0;
	int64_t half_ns = sure_ns < 0 ? -NS_PER_S / 2 : NS_PER_S / 2;

	__atomic_store_n(&s->ahead_s, (sure_ns + half_ns) / NS_PER_S, __ATOMIC_RELAXED);
}

/* Adds a line to headers that end with a NULL, if there is a value. */
static void add_header(char **headers, const char *name, const char *value)
{
	while (*headers) {
		headers++;
	}
	if (value && asprintf(headers, "%s: %s", name, value) < 0) {
		abort();
	}
}

/* Sets the error to the first line of an answer. */
static enum server_result refused(struct server *s, long status, struct out *answer)
{
	out_char(answer, '\0');
	error_set(s->error, "%s: HTTP %ld: %.*s", s->name, status, (int)strcspn(answer->data, "\n"),
		answer->data);
	return SERVER_REFUSED;
}

struct request {
	const char *parameters; /* of the URL */
	const void *body;
	size_t size;
};

static enum server_result post(struct server *s, const struct request *request, struct out *answer)
{
	char *headers[3] = { NULL };
	struct http_answer got = { .body = answer };
	struct out url;

	out_init(&url, OUT_TO_MEMORY);
	out_printf(&url, "%s://%s/?%s", s->of->is_encrypted ? "https" : "http", s->name,
		request->parameters);
	out_char(&url, '\0');
	add_header(headers, "X-ClickHouse-User", s->of->user);
	add_header(headers, "X-ClickHouse-Key", s->of->password);
	s->http.authority = s->of->authority;
	s->http.is_ended = s->is_ended;
	int64_t begun_ns = realtime_ns();
	bool is_answered = http_post(&s->http,
		&(struct http_request){
			url.data, (const char *const *)headers, request->body, request->size },
		&got);

	compare_clocks(s, got.date_s, begun_ns);
	free(headers[0]);
	free(headers[1]);
	out_fini(&url);
	if (!is_answered) {
		error_set(s->error, "%s: %s", s->name, s->http.error);
		return got.is_hopeless ? SERVER_REFUSED : SERVER_UNREACHED;
	}
	return got.status == 200 ? SERVER_DONE : refused(s, got.status, answer);
}

/* Adds NAME=VALUE to the parameters of a request. */
static void add_parameter(struct server *s, struct out *to, const char *name, const char *value)
{
	char *text = http_escape(&s->http, value);

	out_printf(to, "%s%s=%s", to->len ? "&" : "", name, text);
	http_free(text);
}

enum server_result server_ask(struct server *s, const char *query, struct out *answer)
{
	const struct request request = { "", query, strlen(query) };

	out_init(answer, OUT_TO_MEMORY);
	enum server_result result = post(s, &request, answer);

	while (answer->len > 0 && answer->data[answer->len - 1] == '\n') {
		answer->len--;
	}
	out_char(answer, '\0');
	return result;
}

enum server_result server_insert(struct server *s, const struct server_rows *rows)
{
	struct out parameters;
	struct out answer;

	out_init(&parameters, OUT_TO_MEMORY);
	out_init(&answer, OUT_TO_MEMORY);
	add_parameter(s, &parameters, "query", rows->query);
	add_parameter(s, &parameters, "query_id", rows->id);
	add_parameter(s, &parameters, "decompress", "1");
	add_parameter(
		s, &parameters, "http_native_compression_disable_checksumming_on_decompress", "1");
	if (s->has_async_inserts) {
		add_parameter(s, &parameters, "async_insert", "0");
	}
	out_char(&parameters, '\0');
	const struct request request = { parameters.data, rows->frames, rows->size };
	enum server_result result = post(s, &request, &answer);

	if (result == SERVER_DONE &&
		answer.len > 0) { /* a page of a proxy, or an error after all */
		refused(s, 200, &answer);
		result = SERVER_UNREACHED;
	}
	out_fini(&parameters);
	out_fini(&answer);
	return result;
}
