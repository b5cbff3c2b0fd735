/* SPDX-License-Identifier: MIT */
/*
 * Sinks: the backends that own a file of this process, in the order in which
 * `file=` looks for one that is compiled in (ctf, simple, log). The option, the
 * control API and the monitor reach them through the table of rt/control/sinks.h only.
 */
#ifndef RT_SINK_SINK_H
#define RT_SINK_SINK_H

#include <stdbool.h>

#include <waymark/control.h>

struct waymark_sink {
	unsigned int backend; /* one bit of enum waymark_backend */
	const char *name;
	/*
	 * True if set_file() could take the path, as far as it shows without creating
	 * anything. `replace`: what has the name may be removed, if it is a trace.
	 * Returns 0, or -1 with the reason.
	 */
	int (*check_file)(const char *path, bool yield, bool replace, struct waymark_error *error);
	/*
	 * Names the file and opens it. NULL: the sink's default. `yield`: where that
	 * cannot be had because it is another's, a name beside it will do. 0 or -1
	 * with the reason.
	 */
	int (*set_file)(const char *path, bool yield, struct waymark_error *error);
	/*
	 * In QEMU's order of calls events come before set_file(), and forks between. hold():
	 * `path`, absolute, is the name so far; NULL: none, and other means may have named one.
	 * share(): a fork comes. release(): the time is over, whether set_file() came or not. All
	 * NULL: such events go to the sink's default.
	 */
	void (*hold)(const char *path);
	void (*share)(void);
	void (*release)(void);
	/* Opens (true) or closes (false) the file; `was_on` gets the former state. */
	int (*set_on)(bool on, bool *was_on, struct waymark_error *error);
	/* Brings everything recorded so far into the file. */
	int (*flush)(void);
	const char *title; /* what a line about the file begins with */
	/*
	 * Sets path (relative where it is not fixed yet), on and begun of `output`. A
	 * name that is too long is cut.
	 */
	void (*describe)(struct waymark_output *output);
};

extern const struct waymark_sink waymark_sink_ctf;
extern const struct waymark_sink waymark_sink_simple;
extern const struct waymark_sink waymark_sink_log;

/* The check_file() of sinks that write one plain file, which may be there already. */
int waymark_sink_check_plain(
	const char *path, bool yield, bool replace, struct waymark_error *error);

/*
 * `set_on` for a sink that records: `off` is its word, by release and
 * acquire. What was recorded before is the former state's.
 */
int waymark_sink_switch(uint32_t *off, bool on, bool *was_on, struct waymark_error *error);

#endif
