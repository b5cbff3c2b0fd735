/* SPDX-License-Identifier: MIT */
/* Records an event for each line of standard input, and answers with an empty line. */
#include <stdio.h>
#include <string.h>

#include <waymark/scope.h>

#define CATEGORIES(C) C(Test, true, "lines that were read")
WAYMARK_CATEGORIES(CATEGORIES);

int main(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		WAYMARK_INSTANT(Test, "line", line);
		puts("");
		fflush(stdout);
	}
	return 0;
}
