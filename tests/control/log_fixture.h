/* SPDX-License-Identifier: MIT */
/*
 * An event that writes to a log file in the group's directory, a new file for each test: list
 * tests as TEST(name), with enter_folder and leave_folder around the group.
 */
#ifndef TESTS_CONTROL_LOG_FIXTURE_H
#define TESTS_CONTROL_LOG_FIXTURE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <waymark/control.h>

#include "events.h"
#include "folder.h"
#include "unit.h"

EVENT(probe, WAYMARK_LOG, 1)
EVENT_LIST(&waymark_event_probe)

static char path[320];
static struct waymark_error error;

static inline int setup(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "%s/log", folder);
	unlink(path);
	waymark_configure("probe,log.prefix=none", &error);
	return waymark_set_output("log", path, &error);
}

static inline int teardown(void **state)
{
	(void)state;
	return waymark_configure("-probe,log.prefix=default", NULL) |
	       waymark_set_output("log", NULL, NULL);
}

static inline const char *content_of(const char *file)
{
	static char text[100000];
	int fd = open(file, O_RDONLY);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
