/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as what a live viewer sends to the relay, about any bytes as a native trace: those of
 * the index are also the conversation.
 */
#include "reader_input.h"

#include <endian.h>

#include "format/lttng_live.h"
#include "recover/leftover.h"
#include "relay/message.h"
#include "relay/viewer.h"

/* The traces are given, so those of processes are not looked for. */
void leftovers_find(struct leftovers *l)
{
	(void)l;
	abort();
}

void leftovers_fini(struct leftovers *l)
{
	(void)l;
}

void leftover_describe(struct leftover *o, struct buffer_source *buffer)
{
	(void)o;
	(void)buffer;
	abort();
}

void leftover_fini(struct leftover *o)
{
	(void)o;
}

bool leftover_is_readable(const struct leftover *o)
{
	(void)o;
	return false;
}

static void ignore(const char *text)
{
	(void)text;
}

/* Reads the conversation back. Returns its size. */
static size_t read_conversation(unsigned char *to, size_t room)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/" INDEX, directory);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = read(fd, to, room);

	close(fd);
	return size > 0 ? (size_t)size : 0;
}

static void converse(struct viewer *v, const unsigned char *p, size_t size)
{
	struct live_command c;
	struct out answer;
	bool goes_on = true;

	out_init(&answer, OUT_TO_MEMORY);
	while (goes_on && size >= sizeof(c)) {
		memcpy(&c, p, sizeof(c));
		p += sizeof(c);
		size -= sizeof(c);
		int wanted = request_size(be32toh(c.number));

		goes_on = wanted >= 0 && (size_t)wanted <= size;
		if (goes_on) {
			answer.len = 0;
			goes_on = viewer_answer(v, be32toh(c.number), p, &answer);
			p += wanted;
			size -= (size_t)wanted;
		}
	}
	out_fini(&answer);
}

static void read_all(struct reader *r, unsigned int options)
{
	char *path = directory;
	const struct relay_options relay = { .paths = &path, .path_count = 1, .report = ignore };
	static unsigned char bytes[1 << 16];
	struct viewer v;

	(void)r;
	if (!(options & DIRECTORY)) {
		return;
	}
	viewer_init(&v, &relay);
	converse(&v, bytes, read_conversation(bytes, sizeof(bytes)));
	viewer_fini(&v);
}
