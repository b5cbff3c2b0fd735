/* SPDX-License-Identifier: MIT */
/*
 * The machine of StratoVirt's document: machine [-trace OPTION]. Each line of standard input is a
 * request of the guest, and is answered with a line.
 */
#include <stdio.h>
#include <string.h>

#include <waymark/control.h>

#include "trace.h"

#ifdef RECEIVES_REQUESTS
#define RECEIVE(name) trace_virtio_receive_request(name, "the backend")
#else
#define RECEIVE(name) ((void)(name))
#endif

static int configure(int argc, char **argv)
{
	struct waymark_error error;

	if (waymark_set_dialect(WAYMARK_DIALECT_STRATOVIRT, &error) == 0 &&
		(argc < 3 || waymark_configure(argv[2], &error) == 0)) {
		return 0;
	}
	fprintf(stderr, "%s: %s\n", argc < 2 ? "machine" : argv[1], error.text);
	return 1;
}

int main(int argc, char **argv)
{
	char line[256];

	if (configure(argc, argv)) {
		return 1;
	}
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		trace_machine_wake(strlen(line));
		RECEIVE(line);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
