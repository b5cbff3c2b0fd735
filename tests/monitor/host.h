/* SPDX-License-Identifier: MIT */
/* A program with a monitor, which executes its driver's commands: host.c, host_process.c. */
#ifndef HOST_H
#define HOST_H

/* The socket to the driver: a line is asked, a line is answered. */
extern int steer;

/* Answers. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

struct command {
	const char *name;
	void (*run)(const char *rest);
};

/* Ends with a nameless one. */
extern const struct command process_commands[];

#endif
