/* SPDX-License-Identifier: MIT */
/* Which traces a run left: the one that was named, and NAME.PID of each further process. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cmd/record/record.h"

/* Whether it is a native trace, or a file of another backend. */
static bool is_trace(const char *path)
{
	struct stat st;
	char *metadata;
	bool found = lstat(path, &st) == 0 && S_ISREG(st.st_mode);

	if (asprintf(&metadata, "%s/metadata", path) < 0) {
		abort();
	}
	found = found || lstat(metadata, &st) == 0;
	free(metadata);
	return found;
}

/* .PID, .PID.N */
static bool is_number(const char *end)
{
	size_t digits = 0;

	while (*end == '.' && (digits = strspn(end + 1, "0123456789")) > 0) {
		end += 1 + digits;
	}
	return digits > 0 && !*end;
}

static void add(struct record_traces *t, char *path, const struct record_traces *before)
{
	bool wanted = is_trace(path);

	for (size_t i = 0; wanted && before && i < before->paths.count; i++) {
		wanted = strcmp(before->paths.items[i], path) != 0;
	}
	if (wanted) {
		vec_push(&t->paths, path);
	} else {
		free(path);
	}
}

void record_traces_find(
	struct record_traces *t, const char *trace, const struct record_traces *before)
{
	const char *name = strrchr(trace, '/') + 1;
	size_t length = strlen(name);
	char *folder = strndup(trace, (size_t)(name - trace));
	struct dirent **entries;
	int n = folder ? scandir(folder, &entries, NULL, versionsort) : -1;

	*t = (struct record_traces){ 0 };
	add(t, xstrdup(trace), before);
	for (int i = 0; i < n; i++) {
		char *path;

		if (strncmp(entries[i]->d_name, name, length) == 0 &&
			is_number(entries[i]->d_name + length) &&
			asprintf(&path, "%s%s", folder, entries[i]->d_name) >= 0) {
			add(t, path, before);
		}
		free(entries[i]);
	}
	if (n >= 0) {
		free(entries);
	}
	free(folder);
}

void record_traces_fini(struct record_traces *t)
{
	vec_foreach (char **, path, &t->paths) {
		free(*path);
	}
	vec_fini(&t->paths);
}
