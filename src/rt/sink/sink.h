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
	 * Checks whether set_file() could use the path, as far as that shows without creating
	 * anything. `replace`: an existing trace of that name may be removed. Returns 0, or -1 with
	 * the reason.
	 */
	int (*check_file)(const char *path, bool yield, bool replace, struct waymark_error *error);
	/*
	 * Names the file and opens it; NULL means the sink's default. `yield`: if something else
	 * has the name, a derived name is used. Returns 0, or -1 with the reason.
	 */
	int (*set_file)(const char *path, bool yield, struct waymark_error *error);
	/*
	 * For QEMU's order of calls, in which the program fires events, and may fork, before
	 * set_file(). hold(): `path`, absolute, is the file's name so far; NULL: it has none yet,
	 * though another option may have named one. share(): a fork is about to happen. release():
	 * the name is final, whether or not set_file() was called. If all are NULL, early events go
	 * to the sink's default.
	 */
	void (*hold)(const char *path);
	void (*share)(void);
	void (*release)(void);
	/* Opens (true) or closes (false) the file; `was_on` gets the former state. */
	int (*set_on)(bool on, bool *was_on, struct waymark_error *error);
	/* Writes everything recorded so far to the file. */
	int (*flush)(void);
	const char *title; /* the beginning of a line about the file */
	/*
	 * Sets `path`, `on` and `begun` of `output`. The path is relative until the file's place is
	 * fixed; a path that is too long is cut.
	 */
	void (*describe)(struct waymark_output *output);
};

extern const struct waymark_sink waymark_sink_ctf;
extern const struct waymark_sink waymark_sink_simple;
extern const struct waymark_sink waymark_sink_log;

/* check_file() for sinks that write one plain file, which may exist already. */
int waymark_sink_check_plain(
	const char *path, bool yield, bool replace, struct waymark_error *error);

/*
 * set_on() for a sink that records. `off` is the sink's switch, accessed by release and acquire.
 * Events recorded before the call are treated as in the former state.
 */
int waymark_sink_switch(uint32_t *off, bool on, bool *was_on, struct waymark_error *error);

#endif
