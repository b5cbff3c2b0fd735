/* SPDX-License-Identifier: MIT */
/* A program with a monitor, which executes its driver's commands: host.c, host_process.c. */
#ifndef HOST_H
#define HOST_H

/* The socket to the driver: each line from the driver gets one line as answer. */
extern int steer;

/* Sends an answer. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

struct command {
	const char *name;
	void (*run)(const char *rest);
};

/* The last command has no name. */
extern const struct command process_commands[];

#endif
