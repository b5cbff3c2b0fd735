/* SPDX-License-Identifier: MIT */
/*
 * Names of stream files, and the removal of old pieces. Which streams have
 * files is known to the directory alone, so it is read, with no library: that
 * would allocate.
 */
#include "rt/ctf/io.h"
#include "rt/ctf/stream.h"
#include "rt/host/file.h"

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

struct old {
	int directory;
	uint64_t before; /* the first piece that stays */
};

static bool remove_if_old(void *data, const char *entry)
{
	const struct old *old = data;
	char name[CTF_NAME_BYTES];
	uint64_t stream;
	uint64_t piece;

	if (parse_name(entry, &stream, &piece) && piece < old->before) {
		waymark_ctf_index_name(name, stream, (uint32_t)piece);
		syscall(SYS_unlinkat, old->directory, name, 0);
		syscall(SYS_unlinkat, old->directory, entry, 0);
	}
	return true;
}

void waymark_ctf_remove_pieces(const struct ctf_files *f, uint32_t keep)
{
	struct old old = { -1, f->piece + 1 - keep };

	if (f->piece >= keep) {
		old.directory = waymark_ctf_open_directory(f->trace);
		directory_each(old.directory, remove_if_old, &old);
		ctf_close(old.directory);
	}
}
