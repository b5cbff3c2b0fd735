/* SPDX-License-Identifier: MIT */
/*
 * The protocol: 200 takes a request, or all but some of its spans; 429, 502, 503 and 504, and a
 * connection that fails, ask for it again later; any other status refuses it.
 */
#include "cmd/export/send.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vec.h"
#include "http/http.h"

#define PATH "/v1/traces"
#define HEADERS "OTEL_EXPORTER_OTLP_HEADERS"
#define CERTIFICATE "OTEL_EXPORTER_OTLP_CERTIFICATE"
#define REQUEST_MS 30000L
#define TRIES 6
#define WAIT_MIN_MS 200 /* doubles with each try */
#define WAIT_MAX_S 60 /* the longest Retry-After that is waited for */

struct send {
	struct http http;
	char *url;
	VEC(char *) headers; /* ends with a NULL */
	struct out body; /* of an answer */
	struct send_result *result;
};

/* ---- The destination ---- */

static bool set_url(struct send *s, const char *url)
{
	bool is_http = strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;
	const char *host = strstr(url, "://") + 3;
	size_t length = strlen(url);

	if (!is_http || strchr("/:", *host)) { /* or it is empty */
		return error_set(s->result->error,
			"'%.200s' is no collector: write http://HOST[:PORT] or https://HOST", url);
	}
	if (strchr(url, '@')) {
		return error_set(s->result->error,
			"a user and a password do not go into the URL: set " HEADERS);
	}
	if (strpbrk(url, "?# ")) {
		return error_set(
			s->result->error, "'%.200s': a URL for spans is a host and a path", url);
	}
	while (url[length - 1] == '/') {
		length--;
	}
	s->url = xcalloc(length + sizeof(PATH), 1);
	memcpy(s->url, url, length);
	if (length < strlen(PATH) || strcmp(s->url + length - strlen(PATH), PATH) != 0) {
		strcat(s->url, PATH);
	}
	return true;
}

/* Decodes %XX in place; false for a digit that is none, or a character that no header may have. */
static bool decode(char *text)
{
	char *to = text;

	for (const char *c = text; *c; c++) {
		bool is_encoded = *c == '%';

		if (is_encoded &&
			(!isxdigit((unsigned char)c[1]) || !isxdigit((unsigned char)c[2]))) {
			return false;
		}
		*to = is_encoded ? (char)strtoul((const char[]){ c[1], c[2], '\0' }, NULL, 16) : *c;
		if (iscntrl((unsigned char)*to)) {
			return false;
		}
		to++;
		c += is_encoded ? 2 : 0;
	}
	*to = '\0';
	return true;
}

/* Adds NAME=VALUE, whose value is encoded as in a URL. The message does not have the value. */
static bool add_header(struct send *s, char *pair)
{
	char *value = strchr(pair, '=');
	char *line = NULL;

	pair += strspn(pair, " \t");
	if (*pair == '\0') {
		return true;
	}
	if (!value || value <= pair) {
		return error_set(s->result->error, HEADERS " is not a list of NAME=VALUE,...");
	}
	*value++ = '\0';
	pair[strcspn(pair, " \t")] = '\0';
	if (strpbrk(pair, ":\r\n") || !decode(value)) {
		return error_set(s->result->error,
			HEADERS ": '%.100s' is no header: write %%XX for special characters", pair);
	}
	if (asprintf(&line, "%s: %s", pair, value + strspn(value, " \t")) < 0) {
		abort();
	}
	vec_push(&s->headers, line);
	return true;
}

static bool add_headers(struct send *s)
{
	const char *value = getenv(HEADERS);
	char *copy = xstrdup(value ? value : "");
	char *rest = copy;
	bool is_ok = true;

	vec_push(&s->headers, xstrdup("Content-Type: application/json"));
	for (char *pair; is_ok && (pair = strsep(&rest, ","));) {
		is_ok = add_header(s, pair);
	}
	vec_push(&s->headers, NULL);
	free(copy);
	return is_ok;
}

struct send *send_begin(const char *url, struct send_result *result)
{
	struct send *s = xcalloc(1, sizeof(*s));
	const char *authority = getenv(CERTIFICATE);

	s->result = result;
	http_init(&s->http, REQUEST_MS);
	out_init(&s->body, OUT_TO_MEMORY);
	s->http.authority = authority && *authority ? authority : NULL;
	if (!set_url(s, url) || !add_headers(s)) {
		send_end(s);
		return NULL;
	}
	return s;
}

void send_end(struct send *s)
{
	if (!s) {
		return;
	}
	vec_foreach (char **, line, &s->headers) {
		free(*line);
	}
	vec_fini(&s->headers);
	out_fini(&s->body);
	http_fini(&s->http);
	free(s->url);
	free(s);
}

/* ---- Answers ---- */

static uint64_t count_of(const json_t *number)
{
	const char *text = json_string_value(number);
	long long count = text ? strtoll(text, NULL, 10) : json_integer_value(number);

	return count > 0 ? (uint64_t)count : 0;
}

/* Counts the spans of a request that was taken; the answer lists those that were not. */
static void count(struct send *s, uint64_t spans)
{
	json_t *answer = json_loadb(s->body.data, s->body.len, 0, NULL);
	const json_t *partial = json_object_get(answer, "partialSuccess");
	const char *words = json_string_value(json_object_get(partial, "errorMessage"));
	uint64_t rejected = count_of(json_object_get(partial, "rejectedSpans"));

	rejected = rejected < spans ? rejected : spans;
	s->result->rejected += rejected;
	s->result->accepted += spans - rejected;
	if (words && !*s->result->warning) {
		error_set(s->result->warning, "%s", words);
	}
	json_decref(answer);
}

/* Sets the error to the message of an answer, else to its first line. */
static void refuse(struct send *s, const struct http_answer *got)
{
	out_char(&s->body, '\0');
	json_t *answer = json_loads(s->body.data, 0, NULL);
	const char *words = json_string_value(json_object_get(answer, "message"));
	const char *line = words ? words : s->body.data;

	error_set(s->result->error, "%s: HTTP %ld%s%.*s", s->url, got->status, *line ? ": " : "",
		(int)strcspn(line, "\r\n"), line);
	json_decref(answer);
}

/* Sends a request once. True if it is done: taken, or refused with the error. */
static bool try_once(struct send *s, const struct http_request *request, struct http_answer *got)
{
	s->body.len = 0;
	*got = (struct http_answer){ .body = &s->body };
	*s->result->error = '\0';
	if (!http_post(&s->http, request, got)) {
		error_set(s->result->error, "%s: %s", s->url, s->http.error);
		return got->is_hopeless;
	}
	if (got->status == 200) {
		return true;
	}
	refuse(s, got);
	return got->status != 429 && (got->status < 502 || got->status > 504);
}

/* Waits for what the collector asked for, else longer with each try; false: it is too long. */
static bool wait_for(struct send *s, const struct http_answer *got, unsigned int tries)
{
	int64_t ms = got->retry_s > 0 ? got->retry_s * 1000 : (int64_t)WAIT_MIN_MS << tries;
	const struct timespec wait = { (time_t)(ms / 1000), (long)(ms % 1000) * 1000000 };

	if (got->retry_s > WAIT_MAX_S) {
		return error_set(s->result->error,
			"%s: HTTP %ld: it wants the spans in %" PRId64 " seconds; export them then",
			s->url, got->status, got->retry_s);
	}
	nanosleep(&wait, NULL);
	return true;
}

bool send_request(void *send, const char *request, size_t size, uint64_t spans)
{
	struct send *s = send;
	const struct http_request post = { s->url, (const char *const *)s->headers.items, request,
		size };
	struct http_answer got;
	unsigned int tries = 0;

	while (!try_once(s, &post, &got)) {
		if (++tries == TRIES || !wait_for(s, &got, tries - 1)) {
			return false;
		}
	}
	if (*s->result->error) {
		return false;
	}
	count(s, spans);
	return true;
}
