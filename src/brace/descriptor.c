/* SPDX-License-Identifier: MIT */
/*
 * Renders Rust's structs around a file descriptor from its number only: no file is examined. An
 * eventfd always has the same path and modes; those of other files are printed as `..`.
 */
#include "brace/internal.h"

static void put_file(struct waymark_formatter *f, int32_t fd, bool is_eventfd)
{
	struct waymark_group g;

	waymark_debug_struct(&g, f, "File");
	waymark_debug_field(&g, "fd", waymark_debug_i32(fd));
	if (!is_eventfd) {
		waymark_debug_end_more(&g);
		return;
	}
	waymark_debug_field(&g, "path", waymark_debug_string("anon_inode:[eventfd]"));
	waymark_debug_field(&g, "read", waymark_debug_bool(true));
	waymark_debug_field(&g, "write", waymark_debug_bool(true));
	waymark_debug_end(&g);
}

static void put_eventfd_file(struct waymark_formatter *f, const void *fd)
{
	put_file(f, *(const int32_t *)fd, true);
}

static void put_field(struct waymark_formatter *f, const char *name, const char *field,
	struct waymark_debug value)
{
	struct waymark_group g;

	waymark_debug_struct(&g, f, name);
	waymark_debug_field(&g, field, value);
	waymark_debug_end(&g);
}

void brace_descriptor_put(struct waymark_formatter *f, const struct waymark_debug *v)
{
	int32_t fd = (int32_t)v->as.i;
	struct waymark_debug number = waymark_debug_i32(fd);

	if (!f->tree && !brace_is_debug(&f->spec)) {
		brace_integer_put(f, &number);
		return;
	}
	switch (v->kind) {
	case WAYMARK_DEBUG_EVENTFD:
		put_field(f, "EventFd", "eventfd", waymark_debug_object(put_eventfd_file, &fd));
		break;
	case WAYMARK_DEBUG_OWNED_FD:
		put_field(f, "OwnedFd", "fd", number);
		break;
	case WAYMARK_DEBUG_BORROWED_FD:
		put_field(f, "BorrowedFd", "fd", number);
		break;
	default:
		put_file(f, fd, false);
	}
}
