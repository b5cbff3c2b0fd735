/* SPDX-License-Identifier: MIT */
/* Why a program has recorded nothing, as far as its file tells. Nothing is run for it. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cmd/record/record.h"

/* The file of a program, in memory. */
struct image {
	struct stat st;
	const char *bytes; /* NULL: it cannot be read */
	size_t size;
};

static void image_open(struct image *i, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*i = (struct image){ 0 };
	if (fd >= 0 && fstat(fd, &i->st) == 0 && S_ISREG(i->st.st_mode) && i->st.st_size > 0) {
		void *bytes = mmap(NULL, (size_t)i->st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);

		i->bytes = bytes == MAP_FAILED ? NULL : bytes;
		i->size = (size_t)i->st.st_size;
	}
	if (fd >= 0) {
		close(fd);
	}
}

static bool contains(const struct image *i, const char *text)
{
	return memmem(i->bytes, i->size, text, strlen(text));
}

static bool begins(const struct image *i, const char *text)
{
	return i->size >= strlen(text) && memcmp(i->bytes, text, strlen(text)) == 0;
}

/* Of the shared library's name or, in a program that has it inside, of what it reads. */
static bool has_waymark(const struct image *i)
{
	return contains(i, "libwaymark.so") || contains(i, "WAYMARK_TRACE");
}

/* Whether it has events, and all of them go elsewhere, as far as its dynamic symbols tell. */
static bool has_no_recorder(const struct image *i)
{
	return contains(i, "libwaymark.so") && contains(i, "waymark_register") &&
	       !contains(i, "waymark_cursor_refill") && !contains(i, "waymark_site_");
}

/* Whether it gets more rights than ours, and so must not believe our environment. */
static bool gains_rights(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0) {
		return false;
	}
	return (st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
	       (st.st_mode & S_ISGID && st.st_gid != getegid()) ||
	       (geteuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

static const char *explain(const struct image *i)
{
	if (!i->bytes) {
		return "it is not linked with Waymark, no pattern meets one of its events, none of "
		       "them happened, or it refused an option";
	}
	if (begins(i, "#!")) {
		return "it is a script, and none of the programs that it ran has Waymark's "
		       "events, or none of them happened";
	}
	if (has_no_recorder(i)) {
		return "its events are built without the backend ctf: make WAYMARK_BACKENDS=ctf, or "
		       "tracetool --backends=ctf";
	}
	if (!begins(i, "\177ELF") || has_waymark(i)) {
		return "no pattern meets one of its events, none of them happened, or it refused "
		       "an option, which it says above";
	}
	return contains(i, "ld-linux") || contains(i, "ld-musl")
		       ? "it is not linked with Waymark itself, and no library or program that it "
			 "used recorded an event"
		       : "it is a static program without Waymark in it";
}

void record_explain(const char *program, char *text, size_t size)
{
	char path[PATH_MAX] = "";
	struct image image = { 0 };

	if (record_find(program, path) == 0 && gains_rights(path)) {
		snprintf(text, size,
			"it is set-uid, set-gid or has capabilities: such programs ignore "
			"WAYMARK_TRACE");
		return;
	}
	image_open(&image, path);
	snprintf(text, size, "%s", explain(&image));
	if (image.bytes) {
		munmap((void *)(uintptr_t)image.bytes, image.size);
	}
}
