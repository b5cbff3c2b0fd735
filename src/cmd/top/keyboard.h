/* SPDX-License-Identifier: MIT */
/* Keys of the screen of `waymark top`, from the terminal's bytes. For screen.c; one thread. */
#ifndef CMD_TOP_KEYBOARD_H
#define CMD_TOP_KEYBOARD_H

#include <stdbool.h>
#include <wchar.h>

/* Nothing is read yet when zeroed. */
struct keyboard {
	mbstate_t state; /* of a character whose bytes have not all come */
};

/*
 * Returns the next key, a character or, if `is_special`, a KEY_ of curses; false if there is none
 * yet. Bytes that are no character are dropped.
 */
bool keyboard_next(struct keyboard *k, wint_t *key, bool *is_special);

#endif
