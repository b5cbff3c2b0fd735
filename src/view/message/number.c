/* SPDX-License-Identifier: MIT */
/* The table of four digits, decimal output of numbers with nine digits or more, and doubles. */
#include "view/message/number.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#define ONES(a, b, c)                                                                             \
	{ a, b, c, '0' }, { a, b, c, '1' }, { a, b, c, '2' }, { a, b, c, '3' }, { a, b, c, '4' }, \
		{ a, b, c, '5' }, { a, b, c, '6' }, { a, b, c, '7' }, { a, b, c, '8' },           \
	{                                                                                         \
		a, b, c, '9'                                                                      \
	}
#define TENS(a, b)                                                                           \
	ONES(a, b, '0'), ONES(a, b, '1'), ONES(a, b, '2'), ONES(a, b, '3'), ONES(a, b, '4'), \
		ONES(a, b, '5'), ONES(a, b, '6'), ONES(a, b, '7'), ONES(a, b, '8'),          \
		ONES(a, b, '9')
#define HUNDREDS(a)                                                                         \
	TENS(a, '0'), TENS(a, '1'), TENS(a, '2'), TENS(a, '3'), TENS(a, '4'), TENS(a, '5'), \
		TENS(a, '6'), TENS(a, '7'), TENS(a, '8'), TENS(a, '9')

const char number_fours[NUMBER_E4][4] = { HUNDREDS('0'), HUNDREDS('1'), HUNDREDS('2'),
	HUNDREDS('3'), HUNDREDS('4'), HUNDREDS('5'), HUNDREDS('6'), HUNDREDS('7'), HUNDREDS('8'),
	HUNDREDS('9') };

char *number_long(char *out, uint64_t v)
{
	uint64_t high = v / NUMBER_E8;

	if (high >= NUMBER_E8) {
		out = number_short(out, high / NUMBER_E8);
		out = number_fixed8(out, high % NUMBER_E8);
	} else {
		out = number_short(out, high);
	}
	return number_fixed8(out, v % NUMBER_E8);
}

char *number_real(char *out, double v)
{
	int length = 0;

	for (int digits = DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
		length = snprintf(out, NUMBER_ROOM, "%.*g", digits, v);
		if (memcmp(&v, &(double){ strtod(out, NULL) }, sizeof(v)) == 0) {
			break;
		}
	}
	return out + length;
}
