/* SPDX-License-Identifier: MIT */
/* Where the messages of a shipper go. Called by all its threads. */
#ifndef SHIP_REPORT_H
#define SHIP_REPORT_H

struct ship_report {
	void (*write)(const char *destination, const char *text);
	const char *destination; /* named in messages; NULL: it is the only one */
};

static inline void ship_report(const struct ship_report *r, const char *text)
{
	r->write(r->destination, text);
}

#endif
