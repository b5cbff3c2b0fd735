/* SPDX-License-Identifier: MIT */
/*
 * Numbers of the fields of pprof's profiles: stacks with values. Texts are in one table, and named
 * by their index; the first one is empty. A file is one message, compressed by gzip.
 */
#ifndef FORMAT_PPROF_H
#define FORMAT_PPROF_H

enum pprof_profile {
	PROFILE_VALUE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_TEXT = 6,
	PROFILE_TIME = 9, /* ns since 1970 */
	PROFILE_DURATION = 10, /* ns */
	PROFILE_DEFAULT_TYPE = 14,
};

enum pprof_value_type { VALUE_TYPE_NAME = 1, VALUE_TYPE_UNIT = 2 };
enum pprof_sample { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES = 2 }; /* the innermost location first */
enum pprof_location { LOCATION_ID = 1, LOCATION_LINE = 4 };
enum pprof_line { LINE_FUNCTION = 1 };
enum pprof_function { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_SYSTEM_NAME = 3 };

#endif
