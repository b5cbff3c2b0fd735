/* SPDX-License-Identifier: MIT */
/*
 * Names of stream files, and the removal of old pieces. Which streams have
 * files is known to the directory alone, so it is read, with no library: that
 * would allocate.
 */
#include "format/ctf_files.h"
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

	if (ctf_file_is_stream(entry, &stream, &piece) && piece < old->before) {
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
