/* SPDX-License-Identifier: MIT */
/*
 * A newer file may have another head, as its clock was measured again. A viewer keeps the head that
 * it got first, with a clock of ns, which is the same for all processes of a host.
 */
#include "relay/metadata.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "format/ctf.h"
#include "format/lttng_live.h"
#include "read/buffer_folder.h"

#define END_OF_HEAD "\n};\n" /* of its last block */
#define END_OF_EVENT "};\n" /* an event is a line */
#define PACKET_TEXT (64u << 10) /* bytes of text in a packet of metadata */
#define METADATA_MAX (256u << 20)

/* Returns the text's length up to the end of the head: the block of its class of streams. */
static size_t head_of(const char *text)
{
	const char *stream = strstr(text, "\nstream {");
	const char *end = stream ? strstr(stream, END_OF_HEAD) : NULL;

	return end ? (size_t)(end - text) + strlen(END_OF_HEAD) : 0;
}

/* Returns the text's length up to the end of its last whole event. */
static size_t whole_of(const char *text, size_t length)
{
	const size_t n = strlen(END_OF_EVENT);

	while (length > 0 && (length < n || memcmp(text + length - n, END_OF_EVENT, n) != 0)) {
		length--;
	}
	return length;
}

/* Reads the file into a text with a NUL, which the caller frees; NULL if it cannot be read. */
static char *read_file(int folder, struct stat *look, size_t *length)
{
	int fd = openat(folder, CTF_METADATA, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	char *text = NULL;

	if (fd >= 0 && fstat(fd, look) == 0 && S_ISREG(look->st_mode) &&
		look->st_size < (off_t)METADATA_MAX) {
		text = xcalloc(1, (size_t)look->st_size + 1);
		ssize_t n = pread(fd, text, (size_t)look->st_size, 0);

		*length = n > 0 ? (size_t)n : 0;
		text[*length] = '\0';
	}
	if (fd >= 0) {
		close(fd);
	}
	return text;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Adds the head with other numbers of its clock. */
static void add_head(struct relay_metadata *m, const char *head, size_t size)
{
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {
		/* in the order of the file */
		{ "\tfreq = ", CLOCK_NS_PER_S },
		{ "\toffset_s = ", (uint64_t)m->real_ns / CLOCK_NS_PER_S },
		{ "\toffset = ", (uint64_t)m->real_ns % CLOCK_NS_PER_S },
	};
	const char *end = head + size;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const char *at = strstr(head, numbers[i].name);

		if (at && at < end) {
			at += strlen(numbers[i].name);
			out_bytes(&m->text, head, (size_t)(at - head));
			out_printf(&m->text, "%" PRIu64, numbers[i].value);
			head = at + strcspn(at, ";");
		}
	}
	out_bytes(&m->text, head, (size_t)(end - head));
	m->head = m->text.len;
}

/* Takes what a newer file has behind the events that are known. */
static void take_new(struct relay_metadata *m, const char *text, size_t length)
{
	size_t head = head_of(text);
	size_t known = m->text.len - m->head;
	size_t whole = whole_of(text, length);

	if (head == 0 || whole < head) {
		return;
	}
	if (m->text.len == 0) {
		add_head(m, text, head);
		out_bytes(&m->text, text + head, whole - head);
	} else if (whole - head > known &&
		   memcmp(text + head, m->text.data + m->head, known) == 0) {
		out_bytes(&m->text, text + head + known, whole - head - known);
	}
}

bool relay_metadata_open(struct relay_metadata *m, const char *path, int64_t real_ns)
{
	*m = (struct relay_metadata){ .folder = buffer_folder_open(path, O_PATH | O_DIRECTORY),
		.real_ns = real_ns };
	out_init(&m->text, OUT_TO_MEMORY);
	return m->folder >= 0;
}

void relay_metadata_close(struct relay_metadata *m)
{
	out_fini(&m->text);
	if (m->folder >= 0) {
		close(m->folder);
	}
}

bool relay_metadata_look(struct relay_metadata *m)
{
	struct stat look = { 0 };
	size_t length = 0;

	if (fstatat(m->folder, CTF_METADATA, &look, 0) == 0 && !is_same(&look, &m->look)) {
		char *text = read_file(m->folder, &look, &length);

		if (text) {
			take_new(m, text, length);
			m->look = look;
		}
		free(text);
	}
	return m->sent < m->text.len;
}

size_t relay_metadata_take(struct relay_metadata *m, const uint8_t uuid[16], struct out *out)
{
	size_t left = m->text.len - m->sent;
	size_t size = left < PACKET_TEXT ? left : PACKET_TEXT;
	struct live_metadata_header h = { .magic = LIVE_METADATA_MAGIC, .major = 1, .minor = 8 };

	if (size == 0) {
		return 0;
	}
	memcpy(h.uuid, uuid, sizeof(h.uuid));
	h.content_size = h.packet_size = (uint32_t)(8 * (sizeof(h) + size));
	out_bytes(out, &h, sizeof(h));
	out_bytes(out, m->text.data + m->sent, size);
	m->sent += size;
	return sizeof(h) + size;
}
