/* SPDX-License-Identifier: MIT */
/*
 * The paths that a buffer's file may have, see format/buffer.h: in the shared folder,
 * which the environment may name, or in the trace. Any thread, any signal handler.
 */
#include <stdlib.h>
#include <string.h>

#include "rt/record/buffer.h"

/* For tests: another directory than /dev/shm. Set before main(). */
static const char *prefix = BUFFER_FILE_PREFIX;

__attribute__((constructor(101))) static void read_prefix(void)
{
	static char own[BUFFER_FILE_PATH_BYTES]; /* written by this constructor only */
	const char *directory = secure_getenv("WAYMARK_SHM");

	if (directory && strlen(directory) + sizeof("/waymark-") <= sizeof(own)) {
		stpcpy(stpcpy(own, directory), "/waymark-");
		prefix = own;
	}
}

static void write_hex(char *to, const uint8_t *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		*to++ = digits[bytes[i] >> 4];
		*to++ = digits[bytes[i] & 15];
	}
	*to = '\0';
}

bool waymark_buffer_shared_path(const struct buffer_place *place)
{
	if (strlen(prefix) + 2 * sizeof(place->uuid) >= BUFFER_FILE_PATH_BYTES) {
		return false;
	}
	write_hex(stpcpy(place->path, prefix), place->uuid, sizeof(place->uuid));
	return true;
}

bool waymark_buffer_trace_path(const struct buffer_place *place)
{
	static const char name[] = "/" BUFFER_FILE_IN_TRACE;

	if (strlen(place->directory) + sizeof(name) > BUFFER_FILE_PATH_BYTES) {
		return false;
	}
	strcpy(stpcpy(place->path, place->directory), name);
	return true;
}

bool waymark_buffer_is_shared(const struct buffer *b)
{
	return strncmp(b->path, prefix, strlen(prefix)) == 0;
}

const char *waymark_buffer_prefix(void)
{
	return prefix;
}
