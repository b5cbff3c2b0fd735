/* SPDX-License-Identifier: MIT */
/*
 * `waymark view -o FILE.html` and `--png=FILE`: the page with its data in one file, and a picture
 * of it. After the pass; one thread.
 */
#ifndef CMD_VIEW_SAVE_H
#define CMD_VIEW_SAVE_H

#include "cmd/view/kept.h"
#include "cmd/view/view.h"

struct save_part {
	int64_t from_ns; /* both included */
	int64_t to_ns;
	const struct kept *tracks;
};

enum save_result {
	SAVE_DONE,
	SAVE_TOO_MUCH, /* too many items for one page */
	SAVE_FAILED, /* the traces cannot be read again */
};

/*
 * Writes the page. With `is_exact`, each item is in it, with the fields of each event; without,
 * only what a picture of it shows.
 */
enum save_result save_page(
	struct viewer *v, const struct save_part *part, bool is_exact, struct out *out);

struct save_picture {
	const struct out *page;
	int fd; /* of the file that is written */
	unsigned int width; /* in pixels */
	unsigned int height; /* 0: as high as the tracks are */
};

/* Draws a page by Chromium. Returns false, reported, if there is none or it fails. */
bool save_picture(struct session *s, const struct save_picture *p);

#endif
