/* SPDX-License-Identifier: MIT */
/*
 * Requests over HTTP, by libcurl: each is one POST on a connection of its own, without redirects.
 * One thread at a time.
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/out.h"

#define HTTP_NO_DATE INT64_MIN

struct http {
	const char *authority; /* file of certificates; NULL: the system's */
	const bool *is_ended; /* atomic: break requests off; NULL: never */
	long timeout_ms; /* of a request, with its answer */
	void *handle; /* of libcurl */
	char error[256]; /* why the last request had no answer */
};

/* Initializes it; the caller may then set the authority and `is_ended`. */
void http_init(struct http *h, long timeout_ms);
void http_fini(struct http *h);

struct http_request {
	const char *url;
	const char *const *headers; /* `Name: value`; ends with a NULL */
	const void *body;
	size_t size;
};

struct http_answer {
	struct out *body; /* the caller's, in memory */
	bool is_hopeless; /* there is none, and will be none later: a certificate is not trusted */
	long status;
	int64_t date_s; /* the server's clock, since 1970; HTTP_NO_DATE: unknown */
	int64_t retry_s; /* when the server wants the request again; 0: unknown */
};

/* Sends a request. False: no answer came, for the reason in `error`; it may have been received. */
bool http_post(struct http *h, const struct http_request *request, struct http_answer *answer);

/* Returns a text as it is written in a URL; the caller frees it by http_free(). */
char *http_escape(struct http *h, const char *text);
void http_free(char *text);

#endif
