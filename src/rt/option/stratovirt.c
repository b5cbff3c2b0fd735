/* SPDX-License-Identifier: MIT */
/*
 * What the keys take that mean another thing in StratoVirt's dialect, or are in it alone. Its
 * patterns are regular expressions of Rust, searched in names.
 */
#include <stdlib.h>
#include <string.h>

#include "base/rust_regex.h"
#include "rt/host/error.h"
#include "rt/option/events_file.h"
#include "rt/option/option.h"
#include "rt/option/take.h"

int waymark_take_regex(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	bool on = *value != '-';
	size_t before = c->rules.count;

	if (waymark_option_is_help(value)) {
		c->help = true;
		return 0;
	}
	if (waymark_regex_add(&c->rules, value + !on, error) < 0) {
		return -1;
	}
	c->rules.items[before].on = on;
	return 0;
}

/* Names that stand in the files of both keys, whichever it was. */
static int take_list(
	struct waymark_config *c, const char *key, const char *value, struct waymark_error *error)
{
	struct waymark_error reason;

	if (*value == '\0') {
		return waymark_fail(error, "%s= needs the name of a file", key);
	}
	return waymark_regex_file_read(&c->rules, value, &reason) == 0
		       ? 0
		       : waymark_fail(error, "%s=: %s", key, reason.text);
}

int waymark_take_events_list(
	struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return take_list(c, "events", value, error);
}

int waymark_take_file_list(struct waymark_config *c, const char *value, struct waymark_error *error)
{
	return take_list(c, "file", value, error);
}

/* Whether a part without a value is a key of the dialect rather than an expression. */
static bool lacks_value(const char *part)
{
	return strcmp(part, "events") == 0 || strcmp(part, "file") == 0 ||
	       strcmp(part, "type") == 0;
}

int waymark_stratovirt_check_bare(const char *part, struct waymark_error *error)
{
	return lacks_value(part)
		       ? waymark_fail(error,
				 "'%s' needs a value: %s=%s; an expression of that text is "
				 "written enable=%s",
				 part, part,
				 strcmp(part, "type") == 0 ? "all, events or scopes" : "FILE", part)
		       : 0;
}
