/* SPDX-License-Identifier: MIT */
/* Stub of sending for a build without libcurl or jansson (-Dship=disabled). */
#include "base/error.h"
#include "cmd/export/send.h"

struct send *send_begin(const char *url, struct send_result *result)
{
	error_set(result->error, "%.200s: this build cannot send: configure it with -Dship=enabled",
		url);
	return NULL;
}

bool send_request(void *send, const char *request, size_t size, uint64_t spans)
{
	(void)send;
	(void)request;
	(void)size;
	(void)spans;
	return false;
}

void send_end(struct send *s)
{
	(void)s;
}
