/* SPDX-License-Identifier: MIT */
/* One answer, and refusals of all other requests. */
#include "cmd/metrics/scrape.h"

#include <microhttpd.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cmd/tcp.h"

#define CONNECTIONS_MAX 16
#define SECONDS_IDLE 10

struct scrape {
	struct MHD_Daemon *daemon;
	void (*put)(void *data, struct out *out);
	void *data;
};

static enum MHD_Result reply(
	struct MHD_Connection *c, unsigned int status, const char *type, const struct out *text)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(text->len, text->data, MHD_RESPMEM_MUST_COPY);

	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	enum MHD_Result result = MHD_queue_response(c, status, r);

	MHD_destroy_response(r);
	return result;
}

static enum MHD_Result handle(void *scrape, struct MHD_Connection *c, const char *url,
	const char *method, const char *version, const char *data, size_t *size, void **state)
{
	struct scrape *s = scrape;
	bool is_get = strcmp(method, "GET") == 0;
	bool is_known = is_get && strcmp(url, "/metrics") == 0;
	struct out text;

	(void)version;
	(void)data;
	(void)state;
	*size = 0;
	out_init(&text, OUT_TO_MEMORY);
	if (is_known) {
		s->put(s->data, &text);
	} else {
		out_str(&text, "the metrics are at /metrics\n");
	}
	enum MHD_Result result = reply(c,
		is_known ? MHD_HTTP_OK
		: is_get ? MHD_HTTP_NOT_FOUND
			 : MHD_HTTP_METHOD_NOT_ALLOWED,
		is_known ? "text/plain; version=0.0.4; charset=utf-8" : "text/plain; charset=utf-8",
		&text);

	out_fini(&text);
	return result;
}

struct scrape *scrape_begin(const char *place, void (*put)(void *data, struct out *out), void *data,
	char *error, size_t size)
{
	struct addrinfo *found;

	if (!tcp_find(place, &found, error, size)) {
		return NULL;
	}
	struct scrape *s = xcalloc(1, sizeof(*s));
	unsigned int flags =
		MHD_USE_INTERNAL_POLLING_THREAD | (found->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0);

	s->put = put;
	s->data = data;
	s->daemon = MHD_start_daemon(flags, 0, NULL, NULL, handle, s, MHD_OPTION_SOCK_ADDR,
		found->ai_addr, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
		MHD_OPTION_CONNECTION_TIMEOUT, SECONDS_IDLE, MHD_OPTION_END);
	int why = errno;

	freeaddrinfo(found);
	if (!s->daemon) {
		error_format(error, size, "cannot listen at %.200s: %s", place,
			why ? strerror(why) : "libmicrohttpd refuses it");
		free(s);
		return NULL;
	}
	return s;
}

void scrape_end(struct scrape *s)
{
	if (s) {
		MHD_stop_daemon(s->daemon);
		free(s);
	}
}
