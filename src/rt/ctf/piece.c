/* SPDX-License-Identifier: MIT */
/*
 * Names of stream files, and the removal of old pieces. Which streams have
 * files is known to the directory alone, so it is read, with no library: that
 * would allocate.
 */
#include "rt/ctf/io.h"
#include "rt/ctf/stream.h"

/* The kernel's directory entry: the name follows. */
#define DIRENT_LENGTH_AT 16u
#define DIRENT_NAME_AT 19u

static void put_name(struct ctf_name *t, uint64_t stream, uint32_t piece)
{
	ctf_name_string(t, CTF_STREAM);
	ctf_name_number(t, stream);
	if (piece) {
		ctf_name_string(t, "-");
		ctf_name_number(t, piece);
	}
}

void waymark_ctf_stream_name(char name[CTF_NAME_BYTES], uint64_t stream, uint32_t piece)
{
	struct ctf_name t;

	ctf_name_init(&t, name, CTF_NAME_BYTES);
	put_name(&t, stream, piece);
}

void waymark_ctf_index_name(char name[CTF_NAME_BYTES], uint64_t stream, uint32_t piece)
{
	struct ctf_name t;

	ctf_name_init(&t, name, CTF_NAME_BYTES);
	ctf_name_string(&t, CTF_INDEX "/");
	put_name(&t, stream, piece);
	ctf_name_string(&t, CTF_INDEX_SUFFIX);
}

/* Reads a number that has a digit at least, and moves `s` behind it. */
static bool parse_number(const char **s, uint64_t *value)
{
	const char *begin = *s;

	*value = 0;
	for (; **s >= '0' && **s <= '9' && *s - begin < 19; (*s)++) {
		*value = *value * 10 + (uint64_t)(**s - '0');
	}
	return *s > begin;
}

static bool parse_name(const char *name, uint64_t *stream, uint64_t *piece)
{
	size_t prefix = strlen(CTF_STREAM);

	*piece = 0;
	if (strncmp(name, CTF_STREAM, prefix) != 0) {
		return false;
	}
	name += prefix;
	if (!parse_number(&name, stream)) {
		return false;
	}
	if (*name == '-') {
		name++;
		return parse_number(&name, piece) && *name == '\0';
	}
	return *name == '\0';
}

static void remove_if_old(int directory, const char *entry, uint64_t oldest)
{
	char name[CTF_NAME_BYTES];
	uint64_t stream;
	uint64_t piece;

	if (parse_name(entry, &stream, &piece) && piece < oldest) {
		waymark_ctf_index_name(name, stream, (uint32_t)piece);
		syscall(SYS_unlinkat, directory, name, 0);
		syscall(SYS_unlinkat, directory, entry, 0);
	}
}

void waymark_ctf_remove_pieces(const struct ctf_files *f, uint32_t keep)
{
	int directory = f->piece < keep ? -1 : waymark_ctf_open_directory(f->trace);
	char entries[512] __attribute__((aligned(8))); /* one at least: stack is dear */
	long length = directory < 0 ? 0 : 1;

	while (length > 0) {
		uint16_t step;

		length = syscall(SYS_getdents64, directory, entries, sizeof(entries));
		for (long at = 0; at < length; at += step) {
			memcpy(&step, entries + at + DIRENT_LENGTH_AT, sizeof(step));
			remove_if_old(
				directory, entries + at + DIRENT_NAME_AT, f->piece + 1 - keep);
		}
	}
	ctf_close(directory);
}
