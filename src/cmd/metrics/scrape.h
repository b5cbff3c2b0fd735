/* SPDX-License-Identifier: MIT */
/*
 * Answers scrapes of Prometheus: GET /metrics, by libmicrohttpd, in a thread of its own. The port
 * is for whoever reaches it: by default only this host.
 */
#ifndef CMD_METRICS_SCRAPE_H
#define CMD_METRICS_SCRAPE_H

#include <stdbool.h>

#include "text/out.h"

struct scrape;

/*
 * Listens at [ADDRESS:]PORT. `put` writes all metrics; it is called in the thread, for one scrape
 * at a time. Returns NULL with the reason in `error`.
 */
struct scrape *scrape_begin(const char *place, void (*put)(void *data, struct out *out), void *data,
	char *error, size_t size);
void scrape_end(struct scrape *s);

#endif
