/* SPDX-License-Identifier: MIT */
/* Stub of the server of metrics for a build without libmicrohttpd. */
#include "base/error.h"
#include "cmd/metrics/scrape.h"

struct scrape *scrape_begin(const char *place, void (*put)(void *data, struct out *out), void *data,
	char *error, size_t size)
{
	(void)place;
	(void)put;
	(void)data;
	error_format(
		error, size, "this build has no libmicrohttpd: configure it with -Dhttp=enabled");
	return NULL;
}

void scrape_end(struct scrape *s)
{
	(void)s;
}
