/* SPDX-License-Identifier: MIT */
/*
 * Sends an export's requests to a collector of OpenTelemetry: OTLP over HTTP, with JSON. A request
 * is repeated while the collector may take it later; its spans keep their ids. One thread.
 */
#ifndef CMD_EXPORT_SEND_H
#define CMD_EXPORT_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What became of the spans; zeroed at first. */
struct send_result {
	uint64_t accepted;
	uint64_t rejected;
	char warning[256]; /* the collector's words; "": none */
	char error[512]; /* why the last request was not taken; "": it was */
};

struct send;

/* True for what looks like a URL, of any scheme. */
static inline bool send_is_url(const char *output)
{
	return strstr(output, "://") != NULL;
}

/*
 * Prepares to send to http://HOST[:PORT][/PATH] or https://, below which is /v1/traces. Headers and
 * certificates are those of OpenTelemetry's variables. Both pointers must stay valid until
 * send_end(). Returns NULL, with the result's error, if something is wrong.
 */
struct send *send_begin(const char *url, struct send_result *result);

/* Sends a request; `send` of struct export. False, with the error: the collector refuses it. */
bool send_request(void *send, const char *request, size_t size, uint64_t spans);

/* Frees it; `s` may be NULL. */
void send_end(struct send *s);

#endif
