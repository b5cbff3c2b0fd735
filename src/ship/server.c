/* SPDX-License-Identifier: MIT */
/*
 * A request is one POST. The server's errors are `Code: N, e.displayText() = TEXT`, in the words of
 * its version; the user reads them as they are.
 */
#include "ship/server.h"

#include <curl/curl.h>
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
#define CONNECT_MS 5000L
#define REQUEST_MS 120000L
#define ANSWER_MAX (1u << 20) /* bytes */

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

/* Adds HOST[:PORT]; an address of IPv6 is in brackets. False if it is none. */
static bool add_server(struct servers *s, const char *text, size_t length)
{
	const char *port = s->is_encrypted ? PORT_ENCRYPTED : PORT_PLAIN;
	const char *bracket = memchr(text, ']', length);
	const char *from = bracket ? bracket : text;
	bool has_port = memchr(from, ':', length - (size_t)(from - text)) != NULL;
	struct server server = { .of = s,
		.name = xcalloc(length + sizeof(PORT_ENCRYPTED) + 1, 1),
		.handle = curl_easy_init(),
		.ahead_s = INT64_MIN };

	sprintf(server.name, "%.*s%s%s", (int)length, text, has_port ? "" : ":",
		has_port ? "" : port);
	vec_push(&s->all, server);
	return length > 0 && *text != ':';
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
		free(server->name);
		curl_easy_cleanup(server->handle);
	}
	vec_fini(&s->all);
	free(s->database);
	free(s->user);
	free(s->password);
}

/* ---- Requests ---- */

static size_t take_answer(char *bytes, size_t size, size_t count, void *answer)
{
	struct out *out = answer;

	if (out->len + size * count > ANSWER_MAX) {
		return 0;
	}
	out_bytes(out, bytes, size * count);
	return size * count;
}

/* Breaks a request off when the run ends. */
static int watch_end(void *server, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct server *s = server;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return s->is_ended && __atomic_load_n(s->is_ended, __ATOMIC_RELAXED);
}

/* Compares the server's clock with this host's. */
static size_t take_header(char *line, size_t size, size_t count, void *server)
{
	static const char name[] = "Date: ";
	struct server *s = server;
	char date[64] = "";

	if (size * count > sizeof(name) && strncasecmp(line, name, strlen(name)) == 0) {
		snprintf(date, sizeof(date), "%.*s", (int)(size * count - strlen(name)),
			line + strlen(name));
		time_t theirs = curl_getdate(date, NULL);

		__atomic_store_n(&s->ahead_s,
			theirs >= 0 ? (int64_t)theirs - (int64_t)time(NULL) : INT64_MIN,
			__ATOMIC_RELAXED);
	}
	return size * count;
}

static void add_header(struct curl_slist **list, const char *name, const char *value)
{
	struct out line;

	if (value) {
		out_init(&line, OUT_TO_MEMORY);
		out_printf(&line, "%s: %s", name, value);
		out_char(&line, '\0');
		*list = curl_slist_append(*list, line.data);
		out_fini(&line);
	}
}

static void set_up(
	struct server *s, const char *url, const struct curl_slist *headers, struct out *answer)
{
	curl_easy_reset(s->handle);
	curl_easy_setopt(s->handle, CURLOPT_URL, url);
	curl_easy_setopt(s->handle, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(s->handle, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(s->handle, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	curl_easy_setopt(s->handle, CURLOPT_TIMEOUT_MS, REQUEST_MS);
	curl_easy_setopt(s->handle, CURLOPT_WRITEFUNCTION, take_answer);
	curl_easy_setopt(s->handle, CURLOPT_WRITEDATA, answer);
	curl_easy_setopt(s->handle, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(s->handle, CURLOPT_HEADERDATA, s);
	curl_easy_setopt(s->handle, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(s->handle, CURLOPT_XFERINFOFUNCTION, watch_end);
	curl_easy_setopt(s->handle, CURLOPT_XFERINFODATA, s);
	/* On a connection that it used before, libcurl repeats a request that had no answer. */
	curl_easy_setopt(s->handle, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(s->handle, CURLOPT_FORBID_REUSE, 1L);
	if (s->of->authority) {
		curl_easy_setopt(s->handle, CURLOPT_CAINFO, s->of->authority);
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

/* True if a failure is one of certificates, which no other try mends. */
static bool is_distrust(CURLcode failed)
{
	return failed == CURLE_PEER_FAILED_VERIFICATION || failed == CURLE_SSL_CACERT_BADFILE;
}

struct request {
	const char *parameters; /* of the URL */
	const void *body;
	size_t size;
};

static enum server_result post(struct server *s, const struct request *request, struct out *answer)
{
	struct curl_slist *headers = NULL;
	struct out url;
	char why[CURL_ERROR_SIZE] = "";
	long status = 0;

	out_init(&url, OUT_TO_MEMORY);
	out_printf(&url, "%s://%s/?%s", s->of->is_encrypted ? "https" : "http", s->name,
		request->parameters);
	out_char(&url, '\0');
	add_header(&headers, "X-ClickHouse-User", s->of->user);
	add_header(&headers, "X-ClickHouse-Key", s->of->password);
	headers = curl_slist_append(headers, "Expect:");
	set_up(s, url.data, headers, answer);
	curl_easy_setopt(s->handle, CURLOPT_ERRORBUFFER, why);
	curl_easy_setopt(s->handle, CURLOPT_POSTFIELDS, request->body);
	curl_easy_setopt(s->handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->size);
	CURLcode failed = curl_easy_perform(s->handle);

	curl_easy_setopt(s->handle, CURLOPT_ERRORBUFFER, NULL);

	curl_easy_getinfo(s->handle, CURLINFO_RESPONSE_CODE, &status);
	curl_slist_free_all(headers);
	out_fini(&url);
	if (failed) {
		error_set(s->error, "%s: %s", s->name, *why ? why : curl_easy_strerror(failed));
		return is_distrust(failed) ? SERVER_REFUSED : SERVER_UNREACHED;
	}
	return status == 200 ? SERVER_DONE : refused(s, status, answer);
}

/* Adds NAME=VALUE to the parameters of a request. */
static void add_parameter(struct server *s, struct out *to, const char *name, const char *value)
{
	char *text = curl_easy_escape(s->handle, value, 0);

	out_printf(to, "%s%s=%s", to->len ? "&" : "", name, text);
	curl_free(text);
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
