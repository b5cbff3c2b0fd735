/* SPDX-License-Identifier: MIT */
/* The config of a test, parsed from options and freed after the test. */
#ifndef TESTS_CONTROL_CONFIG_FIXTURE_H
#define TESTS_CONTROL_CONFIG_FIXTURE_H

#include "unit.h"

#include "rt/control/option.h"

static struct waymark_config c;
static struct waymark_error error;

static int teardown(void **state)
{
	(void)state;
	waymark_config_fini(&c);
	return 0;
}

static void parse(const char *text)
{
	if (waymark_option_parse(&c, text, &error) < 0) {
		fail_msg("'%s': %s", text, error.text);
	}
}

#endif
