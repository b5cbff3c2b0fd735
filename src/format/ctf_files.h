/* SPDX-License-Identifier: MIT */
/*
 * The files of a native trace, by their names (format/ctf.h, format/buffer.h). All code that finds,
 * replaces or removes traces uses these functions. They call string.h only and may be used in any
 * context, including signal handlers.
 */
#ifndef FORMAT_CTF_FILES_H
#define FORMAT_CTF_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "format/buffer.h"
#include "format/ctf.h"

/* The suffix of a file until it is complete and renamed. Its name also begins with `.`. */
#define CTF_FILE_NEW ".new"

/* True for a file or folder of a trace other than the metadata, including temporary ones. */
static inline bool ctf_file_is_beside_metadata(const char *name)
{
	static const char *const names[] = { CTF_INDEX, CTF_METADATA_NEW,
		CTF_METADATA_NEW CTF_FILE_NEW, BUFFER_FILE_IN_TRACE, BUFFER_FILE_MOVING };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0) {
			return true;
		}
	}
	return strncmp(name, CTF_STREAM, strlen(CTF_STREAM)) == 0;
}

static inline bool ctf_file_is_of_trace(const char *name)
{
	return strcmp(name, CTF_METADATA) == 0 || ctf_file_is_beside_metadata(name);
}

/* True for a file of the folder CTF_INDEX, including temporary ones. */
static inline bool ctf_file_is_of_index(const char *name)
{
	static const char *const ends[] = { CTF_INDEX_SUFFIX, CTF_INDEX_SUFFIX CTF_FILE_NEW };
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(ends[i]);

		if (length > n && strcmp(name + length - n, ends[i]) == 0) {
			return true;
		}
	}
	return false;
}

/* Reads a number of a name: from 1, without leading zeros. Returns false if there is none. */
static inline bool ctf_file_number(const char **p, uint64_t *v)
{
	const char *first = *p;

	for (*v = 0; **p >= (*p == first ? '1' : '0') && **p <= '9'; ++*p) {
		unsigned int digit = (unsigned int)(**p - '0');

		if (__builtin_mul_overflow(*v, 10u, v) || __builtin_add_overflow(*v, digit, v)) {
			return false;
		}
	}
	return *p > first;
}

/*
 * Parses the name of a stream file: stream-<stream>, or stream-<stream>-<piece> in a rotated trace,
 * whose pieces count from 1. Returns false if the name is no stream file's.
 */
static inline bool ctf_file_is_stream(const char *name, uint64_t *stream, uint64_t *piece)
{
	*piece = 0;
	if (strncmp(name, CTF_STREAM, strlen(CTF_STREAM)) != 0) {
		return false;
	}
	name += strlen(CTF_STREAM);
	if (!ctf_file_number(&name, stream)) {
		return false;
	}
	if (*name == '-') {
		name++;
		return ctf_file_number(&name, piece) && *name == '\0';
	}
	return *name == '\0';
}

#endif
