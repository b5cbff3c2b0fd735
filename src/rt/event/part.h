/* SPDX-License-Identifier: MIT */
/* Parts of the text of a rule: words and numbers between blanks. Header-only. */
#ifndef RT_EVENT_PART_H
#define RT_EVENT_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A part of a text; NULL: the text has no such part. */
struct part {
	const char *text;
	size_t length;
};

/* Returns the part between `begin` and `end`, without the blanks around it. */
static inline struct part part_of(const char *begin, const char *end)
{
	while (begin < end && *begin == ' ') {
		begin++;
	}
	while (end > begin && end[-1] == ' ') {
		end--;
	}
	return (struct part){ begin, (size_t)(end - begin) };
}

static inline bool part_is(const struct part *p, const char *text)
{
	return p->length == strlen(text) && memcmp(p->text, text, p->length) == 0;
}

/* Takes the first word off; its length is 0 at the end. */
static inline struct part part_take_word(struct part *rest)
{
	const char *end = rest->text + rest->length;
	const char *blank = memchr(rest->text, ' ', rest->length);
	const struct part word = part_of(rest->text, blank ? blank : end);

	*rest = part_of(word.text + word.length, end);
	return word;
}

/* Takes a decimal number off. Returns false if there is none, or it is more than `most`. */
static inline bool part_take_number(struct part *rest, uint64_t most, uint64_t *number)
{
	size_t digits = 0;

	*number = 0;
	for (; digits < rest->length && rest->text[digits] >= '0' && rest->text[digits] <= '9';
		digits++) {
		uint64_t digit = (uint64_t)(rest->text[digits] - '0');

		if (digit > most || *number > (most - digit) / 10) {
			return false;
		}
		*number = 10 * *number + digit;
	}
	*rest = (struct part){ rest->text + digits, rest->length - digits };
	return digits > 0;
}

#endif
