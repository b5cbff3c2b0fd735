/* SPDX-License-Identifier: MIT */
/*
 * names [instant]: scopes whose names contain blanks, brackets, quotes and commas; with `instant`
 * no scopes.
 */
#include <waymark/category.h>
#include <waymark/scope.h>

#define DEVICE_CATEGORIES(C) C(VirtioFs, true, "the file system of the guest")
WAYMARK_CATEGORIES(DEVICE_CATEGORIES);

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1) {
		WAYMARK_INSTANT(VirtioFs, "no scope");
		return 0;
	}
	for (int i = 0; i < 3; i++) {
		WAYMARK_SCOPE(VirtioFs, "read (zero-message)", i);
		WAYMARK_SCOPE(VirtioFs, "READ[10], \"quoted\"");
		WAYMARK_SCOPE(VirtioFs, "two: lines_end");
	}
	return 0;
}
