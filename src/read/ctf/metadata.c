/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a native trace's metadata, see read/ctf/metadata.h. Each
 * declaration is cut out of the text before it is read, so that what is wrong
 * with one stays in it.
 */
#include "read/ctf/metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "format/ctf.h"
#include "read/ctf/block.h"
#include "read/ctf/event.h"

/* More metadata than this is no trace of ours. */
#define METADATA_MAX (UINT64_C(256) << 20)

#define PROBLEMS_MAX 100

void ctf_metadata_init(struct ctf_metadata *md, const struct model *declarations)
{
	*md = (struct ctf_metadata){ .declarations = declarations, .line = 1 };
	md->hostname = md->procname = md->boot_id = md->continues = "";
	md->ended = CTF_FINISHED;
	md->clock.freq = CTF_CLOCK_SECOND;
	arena_init(&md->arena);
	model_init(&md->model);
	hash_init(&md->types);
}

void ctf_metadata_fini(struct ctf_metadata *md)
{
	vec_fini(&md->events);
	vec_fini(&md->problems);
	hash_fini(&md->types);
	model_fini(&md->model);
	arena_fini(&md->arena);
}

void ctf_metadata_rewind(struct ctf_metadata *md)
{
	md->parsed = 0;
	md->line = 1;
}

/* Events are read one by one; without the others nothing can be read. */
static bool read_declaration(struct ctf_parser *p, struct ctf_metadata *md)
{
	static const struct {
		const char *word;
		bool (*read)(struct ctf_parser *p, struct ctf_metadata *md);
	} kinds[] = {
		{ "trace", ctf_read_trace },
		{ "env", ctf_read_env },
		{ "clock", ctf_read_clock },
		{ "stream", ctf_read_stream },
		{ "event", ctf_read_event },
		{ "variant", ctf_read_variant },
	};

	if (ctf_scan_next(&p->scan) != CTF_TOKEN_WORD) {
		return p->scan.token == ';' || ctf_fail(p, "expected a declaration");
	}
	if (span_equals(p->scan.text, "typealias")) {
		return ctf_read_typealias(p);
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (span_equals(p->scan.text, kinds[i].word)) {
			return kinds[i].read(p, md);
		}
	}
	return true;
}

void ctf_metadata_note(struct ctf_metadata *md, const struct read_error *error)
{
	if (md->problems.count < PROBLEMS_MAX) {
		vec_push(&md->problems, arena_strdup(&md->arena, error->text));
	}
}

/* Reads declarations up to the last one with an end; returns where that is. */
static const char *parse_all(struct ctf_metadata *md, struct ctf_scan *scan)
{
	struct read_error error;
	const char *end;

	while ((end = ctf_scan_declaration_end(scan))) {
		struct ctf_parser p = {
			.scan = *scan,
			.arena = &md->arena,
			.types = &md->types,
			.error = &error,
		};

		p.scan.end = end;
		if (!read_declaration(&p, md)) {
			ctf_metadata_note(md, &error);
		}
		for (; scan->pos < end; scan->pos++) {
			scan->line += *scan->pos == '\n';
		}
	}
	return scan->pos;
}

bool ctf_metadata_parse(
	struct ctf_metadata *md, const char *text, size_t size, struct read_error *error)
{
	struct ctf_scan scan;

	if (md->parsed == 0 && (size < strlen(CTF_SIGNATURE) ||
				       memcmp(text, CTF_SIGNATURE, strlen(CTF_SIGNATURE)) != 0)) {
		read_error_set(error, CTF_METADATA ":1: does not begin with " CTF_SIGNATURE
						   ": no trace in the native format");
		return false;
	}
	ctf_scan_init(&scan, text, size, md->line);
	md->parsed += (uint64_t)(parse_all(md, &scan) - text);
	md->line = scan.line;
	md->is_cut = ctf_scan_next(&scan) != CTF_TOKEN_END;
	return true;
}

static bool read_all(int fd, char *text, size_t size, uint64_t offset)
{
	while (size > 0) {
		ssize_t n = pread(fd, text, size, (off_t)offset);

		if (n < 0 && errno == EINTR) {
			continue;
		}
		if (n <= 0) {
			errno = n == 0 ? EIO : errno;
			return false;
		}
		text += n;
		size -= (size_t)n;
		offset += (uint64_t)n;
	}
	return true;
}

static bool cannot_read(struct read_error *error)
{
	read_error_set(error, "cannot read the trace's " CTF_METADATA ": %s", strerror(errno));
	return false;
}

static bool read_file(struct ctf_metadata *md, int fd, struct read_error *error)
{
	off_t end = lseek(fd, 0, SEEK_END);
	uint64_t size = end < 0 ? 0 : (uint64_t)end;

	if (size > METADATA_MAX) {
		errno = EFBIG;
		return cannot_read(error);
	}
	if (end < 0) {
		return cannot_read(error);
	}
	size = size > md->parsed ? size - md->parsed : 0;
	char *text = xrealloc(NULL, size + 1);
	bool ok = read_all(fd, text, size, md->parsed) || cannot_read(error);

	ok = ok && ctf_metadata_parse(md, text, size, error);
	free(text);
	return ok;
}

bool ctf_metadata_read(struct ctf_metadata *md, int directory, struct read_error *error)
{
	int fd = openat(directory, CTF_METADATA, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && errno == ENOENT) {
		read_error_set(error, "a directory without the file '" CTF_METADATA "': no trace");
		return false;
	}
	if (fd < 0) {
		return cannot_read(error);
	}
	bool ok = read_file(md, fd, error);

	close(fd);
	return ok;
}

bool ctf_metadata_of_buffer(struct ctf_metadata *md, const struct buffer_trace *t, struct stat *st)
{
	int directory = open(t->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct read_error ignored;

	ctf_metadata_init(md, NULL);
	if (directory < 0) {
		return false;
	}
	bool same = ctf_metadata_read(md, directory, &ignored) &&
		    memcmp(md->uuid, t->uuid, sizeof(md->uuid)) == 0 &&
		    (!st || fstat(directory, st) == 0);

	close(directory);
	return same;
}

bool ctf_trace_is_there(const struct buffer_trace *t, struct stat *st)
{
	struct ctf_metadata md;
	bool same = ctf_metadata_of_buffer(&md, t, st);

	ctf_metadata_fini(&md);
	return same;
}

bool ctf_metadata_check(const struct ctf_metadata *md, struct read_error *error)
{
	const char *missing = !md->has_trace ? "trace" : !md->has_stream ? "stream" : "clock";

	if (md->has_trace && md->has_stream && md->has_clock) {
		return true;
	}
	if (md->problems.count > 0) {
		read_error_set(error, "%s", md->problems.items[0]);
	} else if (md->is_cut) {
		read_error_set(error,
			CTF_METADATA ":%u: the declaration that begins here has no end, and no "
				     "'%s' came before it",
			md->line, missing);
	} else {
		read_error_set(error, CTF_METADATA ":%u: ends without having declared a '%s'",
			md->line, missing);
	}
	return false;
}
