/* SPDX-License-Identifier: MIT */
/*
 * Keys, see keyboard.h. Not by get_wch(3): after a byte that begins no character it takes all that
 * comes for the rest of that character, and so drops keys.
 */
#include "cmd/top/keyboard.h"

#include <curses.h>

/* Adds a byte; true if a character is complete. */
static bool add_byte(struct keyboard *k, char byte, wint_t *key)
{
	wchar_t wide = 0;
	size_t n = mbrtowc(&wide, &byte, 1, &k->state);

	if (n == (size_t)-1) { /* the byte may begin another character */
		k->state = (mbstate_t){ 0 };
		n = mbrtowc(&wide, &byte, 1, &k->state);
	}
	if (n == (size_t)-1) {
		k->state = (mbstate_t){ 0 };
	}
	*key = (wint_t)wide;
	return n <= 1;
}

bool keyboard_next(struct keyboard *k, wint_t *key, bool *is_special)
{
	int c;

	while ((c = getch()) != ERR) {
		*is_special = c >= KEY_MIN;
		if (*is_special) {
			*key = (wint_t)c;
			return true;
		}
		if (add_byte(k, (char)c, key)) {
			return true;
		}
	}
	return false;
}
