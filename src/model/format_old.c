/* SPDX-License-Identifier: MIT */
/* See model/format_old.h. */
#include "model/format_old.h"

bool format_old_letter(struct conversion *c, int unit)
{
	bool is_long = strcmp(c->length, "l") == 0; /* of a double, which it says nothing of */

	if (unit == 'm' && !*c->length) {
		c->letter = 's';
		c->is_errno = true;
	} else if (unit > 0 && strchr(FORMAT_FLOATS, unit) && (is_long || !*c->length)) {
		c->letter = (char)unit;
		c->length = "";
	} else {
		return false;
	}
	return true;
}

void format_old_warn(
	const struct conversion *c, struct format_text *written, size_t at, struct diag *d)
{
	if (c->is_errno) {
		written->text[at - written->begin] = 's';
		diag_warning(d, c->at, "pass the error as an argument of the event and print that",
			"'%%m' prints errno, which becomes an argument that no call passes");
	}
}

void format_old_drop_newlines(struct segment *last, struct format_text *written, size_t at)
{
	while (last->len > 0 && last->text[last->len - 1] == '\n') {
		last->len--;
	}
	written->text[at - written->begin] = '"';
	written->len = at - written->begin + 1;
}
