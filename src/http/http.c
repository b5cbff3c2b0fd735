/* SPDX-License-Identifier: MIT */
/* Sets libcurl up for each request. */
#include "http/http.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define CONNECT_MS 5000L
#define ANSWER_MAX (1u << 20) /* bytes */

_Static_assert(sizeof(((struct http *)NULL)->error) >= CURL_ERROR_SIZE, "libcurl writes there");

void http_init(struct http *h, long timeout_ms)
{
	*h = (struct http){ .timeout_ms = timeout_ms, .handle = curl_easy_init() };
}

void http_fini(struct http *h)
{
	curl_easy_cleanup(h->handle);
	h->handle = NULL;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *body)
{
	struct out *out = body;

	if (out->len + size * count > ANSWER_MAX) {
		return 0;
	}
	out_bytes(out, bytes, size * count);
	return size * count;
}

/* Breaks a request off when the run ends. */
static int watch_end(void *http, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct http *h = http;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return h->is_ended && __atomic_load_n(h->is_ended, __ATOMIC_RELAXED);
}

static size_t take_header(char *line, size_t size, size_t count, void *answer)
{
	static const char name[] = "Date: ";
	struct http_answer *a = answer;
	char date[64] = "";

	if (size * count > sizeof(name) && strncasecmp(line, name, strlen(name)) == 0) {
		snprintf(date, sizeof(date), "%.*s", (int)(size * count - strlen(name)),
			line + strlen(name));
		time_t theirs = curl_getdate(date, NULL);

		a->date_s = theirs >= 0 ? (int64_t)theirs : HTTP_NO_DATE;
	}
	return size * count;
}

static void set_up(struct http *h, const struct http_request *r, struct http_answer *answer)
{
	curl_easy_reset(h->handle);
	curl_easy_setopt(h->handle, CURLOPT_URL, r->url);
	curl_easy_setopt(h->handle, CURLOPT_POSTFIELDS, r->body);
	curl_easy_setopt(h->handle, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->size);
	curl_easy_setopt(h->handle, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(h->handle, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS);
	curl_easy_setopt(h->handle, CURLOPT_TIMEOUT_MS, h->timeout_ms);
	curl_easy_setopt(h->handle, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(h->handle, CURLOPT_WRITEDATA, answer->body);
	curl_easy_setopt(h->handle, CURLOPT_ERRORBUFFER, h->error);
	curl_easy_setopt(h->handle, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(h->handle, CURLOPT_HEADERDATA, answer);
	curl_easy_setopt(h->handle, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(h->handle, CURLOPT_XFERINFOFUNCTION, watch_end);
	curl_easy_setopt(h->handle, CURLOPT_XFERINFODATA, h);
	/* On a connection that it used before, libcurl repeats a request that had no answer. */
	curl_easy_setopt(h->handle, CURLOPT_FRESH_CONNECT, 1L);
	curl_easy_setopt(h->handle, CURLOPT_FORBID_REUSE, 1L);
	if (h->authority) {
		curl_easy_setopt(h->handle, CURLOPT_CAINFO, h->authority);
	}
}

/* True if a failure is one of certificates, which no other try mends. */
static bool is_distrust(CURLcode failed)
{
	return failed == CURLE_PEER_FAILED_VERIFICATION || failed == CURLE_SSL_CACERT_BADFILE;
}

bool http_post(struct http *h, const struct http_request *request, struct http_answer *answer)
{
	struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
	curl_off_t wait = 0;

	for (const char *const *line = request->headers; *line; line++) {
		headers = curl_slist_append(headers, *line);
	}
	answer->date_s = HTTP_NO_DATE;
	*h->error = '\0';
	set_up(h, request, answer);
	curl_easy_setopt(h->handle, CURLOPT_HTTPHEADER, headers);
	CURLcode failed = curl_easy_perform(h->handle);

	curl_easy_getinfo(h->handle, CURLINFO_RESPONSE_CODE, &answer->status);
	curl_easy_getinfo(h->handle, CURLINFO_RETRY_AFTER, &wait);
	curl_slist_free_all(headers);
	answer->retry_s = (int64_t)wait;
	answer->is_hopeless = is_distrust(failed);
	if (failed && !*h->error) {
		snprintf(h->error, sizeof(h->error), "%s", curl_easy_strerror(failed));
	}
	return !failed;
}

char *http_escape(struct http *h, const char *text)
{
	return curl_easy_escape(h->handle, text, 0);
}

void http_free(char *text)
{
	curl_free(text);
}
