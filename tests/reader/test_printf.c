/* SPDX-License-Identifier: MIT */
/* The message view against printf: random formats, random values of every type. */
#include "rendered.h"

#define TEXT_MAX 16384

static uint32_t seed = 1;

/* Returns the same numbers in every run. */
static uint32_t dice(uint32_t sides)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % sides;
}

static uint64_t random_value(void)
{
	uint64_t v = (uint64_t)dice(1 << 22) << 42 ^ (uint64_t)dice(1 << 22) << 21 ^ dice(1 << 22);

	switch (dice(4)) {
	case 0:
		return v & 0xff;
	case 1:
		return 0 - (v & 0xff);
	case 2:
		return v >> dice(64);
	default:
		return v;
	}
}

/* A random conversion, and the values of its `*`. */
struct sample {
	char flags[8];
	char width[8]; /* "*", a number or nothing */
	char precision[8]; /* including its dot */
	int width_value;
	int precision_value;
	char format[64];
	char arguments[64]; /* declared before the value */
	struct value values[3];
	size_t stars;
};

static void pick_flags(struct sample *s, const char *allowed)
{
	char *flag = s->flags;

	for (; *allowed; allowed++) {
		*flag = *allowed;
		flag += dice(4) == 0;
	}
	*flag = '\0';
}

static void pick_width(struct sample *s)
{
	s->width_value = (int)dice(31);
	switch (dice(4)) {
	case 0:
		strcpy(s->width, "*");
		s->width_value = (int)dice(61) - 30;
		strcat(s->arguments, "int w, ");
		s->values[s->stars++] = number((uint64_t)(int64_t)s->width_value);
		break;
	case 1:
		if (s->width_value > 0) {
			snprintf(s->width, sizeof(s->width), "%d", s->width_value);
		}
		break;
	default:
		break;
	}
}

static void pick_precision(struct sample *s)
{
	s->precision_value = (int)dice(26);
	switch (dice(5)) {
	case 0:
		strcpy(s->precision, ".*");
		/*
		 * A negative precision counts as missing, which would make flag 0 effective again.
		 */
		s->precision_value = (int)dice(40) - (strchr(s->flags, '0') ? 0 : 8);
		strcat(s->arguments, "int p, ");
		s->values[s->stars++] = number((uint64_t)(int64_t)s->precision_value);
		break;
	case 1:
		snprintf(s->precision, sizeof(s->precision), ".%d", s->precision_value);
		break;
	case 2:
		strcpy(s->precision, ".");
		break;
	default:
		break;
	}
}

static const char *flags_of(char letter)
{
	switch (letter) {
	case 'd':
	case 'i':
		return "-+ 0";
	case 'u':
		return "-0";
	case 'x':
	case 'X':
	case 'o':
		return "-#0";
	default:
		return "-";
	}
}

static struct sample pick(const char *length, char letter)
{
	struct sample s = { 0 };

	pick_flags(&s, flags_of(letter));
	pick_width(&s);
	if (letter != 'c' && letter != 'p') {
		pick_precision(&s);
	}
	snprintf(s.format, sizeof(s.format), "<%%%s%s%s%s%c>", s.flags, s.width, s.precision,
		length, letter);
	return s;
}

/* Calls printf with the sample's number of `*`. */
#define PRINT(out, s, v)                                                               \
	do {                                                                           \
		bool has_w = (s)->width[0] == '*';                                     \
		bool has_p = strcmp((s)->precision, ".*") == 0;                        \
		if (has_w && has_p) {                                                  \
			snprintf(out, TEXT_MAX, (s)->format, (s)->width_value,         \
				(s)->precision_value, v);                              \
		} else if (has_w) {                                                    \
			snprintf(out, TEXT_MAX, (s)->format, (s)->width_value, v);     \
		} else if (has_p) {                                                    \
			snprintf(out, TEXT_MAX, (s)->format, (s)->precision_value, v); \
		} else {                                                               \
			snprintf(out, TEXT_MAX, (s)->format, v);                       \
		}                                                                      \
	} while (0)

static void check(struct sample *s, const char *type, struct value value, const char *wanted)
{
	char declaration[256];

	s->values[s->stars] = value;
	snprintf(declaration, sizeof(declaration), "e(%s%s v) \"%s\"\n", s->arguments, type,
		s->format);
	assert_renders(declaration, s->values, wanted);
}

#define CHECK_TYPE(type, length, letters)                                           \
	for (int i = 0; i < 400; i++) {                                             \
		struct sample s = pick(length, letters[dice(sizeof(letters) - 1)]); \
		type v = (type)random_value();                                      \
		char wanted[TEXT_MAX];                                              \
		PRINT(wanted, &s, v);                                               \
		check(&s, #type, number((uint64_t)v), wanted);                      \
	}

static void integers_are_shown_as_printf_shows_them(void **state)
{
	(void)state;
	CHECK_TYPE(int8_t, "hh", "di");
	CHECK_TYPE(int8_t, "", "dxuo");
	CHECK_TYPE(uint8_t, "hh", "uxXo");
	CHECK_TYPE(uint8_t, "", "duxXo");
	CHECK_TYPE(char, "", "dx");
	CHECK_TYPE(int16_t, "h", "diuxXo");
	CHECK_TYPE(int16_t, "", "diuxXo");
	CHECK_TYPE(uint16_t, "h", "uxXo");
	CHECK_TYPE(uint16_t, "", "duxXo");
	CHECK_TYPE(int32_t, "", "diuxXo");
	CHECK_TYPE(uint32_t, "", "diuxXo");
	CHECK_TYPE(int, "", "diuxXo");
	CHECK_TYPE(int, "hh", "duxXo");
	CHECK_TYPE(int, "h", "duxXo");
	CHECK_TYPE(bool, "", "du");
	if (sizeof(long) == 8) { /* these are read as long */
		CHECK_TYPE(long, "l", "diuxXo");
		CHECK_TYPE(int64_t, "l", "diuxXo");
		CHECK_TYPE(uint64_t, "l", "diuxXo");
		CHECK_TYPE(size_t, "z", "duxXo");
		CHECK_TYPE(ssize_t, "z", "dux");
		CHECK_TYPE(ptrdiff_t, "t", "dux");
	}
}

/* But PRI?8 and PRI?16 always cut values; some C libraries define them without hh and h. */
static void macros_of_inttypes_mean_what_they_say(void **state)
{
	char wanted[128];
	struct value values[] = { number((uint64_t)-1), number((uint64_t)-2), number(0xfffffffd),
		number((uint64_t)-4), number((uint64_t)-5) };

	(void)state;
	snprintf(wanted, sizeof(wanted), "ff fffe %" PRId32 " %016" PRIx64 " %" PRIdPTR,
		(int32_t)-3, (int64_t)-4, (intptr_t)-5);
	assert_renders("e(int8_t a, int16_t b, uint32_t c, int64_t d, uintptr_t e) "
		       "\"%\" PRIx8 \" %\"PRIx16\" %\" PRId32 \" %016\" PRIx64 \" %\" PRIdPTR\n",
		values, wanted);
}

/* Conversions undefined in C show the whole value, as the log backend does. */
static void a_length_that_does_not_fit_the_type_changes_nothing(void **state)
{
	struct value values[] = { number((uint64_t)-1), number(UINT64_C(1) << 40) };

	(void)state;
	assert_renders("e(int a, uint64_t b) \"%lx %d\"\n", values, "ffffffff 1099511627776");
}

/* NULL is printed as glibc prints it, on every system; musl prints `0`. */
static void print_pointer(char *wanted, struct sample s, void *p)
{
	if (p) {
		PRINT(wanted, &s, p);
		return;
	}
	s.format[strlen(s.format) - 2] = 's'; /* before the `>` */
	PRINT(wanted, &s, "(nil)");
}

static void characters_pointers_and_strings_are_shown_as_printf_shows_them(void **state)
{
	static const char *const texts[] = { "", "a", "four", "seven..", "eight...", "a tab\t",
		"a longer text that takes more than a few words" };
	char wanted[TEXT_MAX];

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct sample s = pick("", 'c');
		int c = (int)(' ' + dice(90));

		PRINT(wanted, &s, c);
		check(&s, "char", number((uint64_t)c), wanted);
		s = pick("", 'p');
		void *p = dice(4) ? (void *)(uintptr_t)random_value() : NULL;

		print_pointer(wanted, s, p);
		check(&s, "void *", number((uint64_t)(uintptr_t)p), wanted);
		s = pick("", 's');
		const char *text = texts[dice(7)];

		PRINT(wanted, &s, text);
		check(&s, "const char *", string(text), wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(integers_are_shown_as_printf_shows_them),
		cmocka_unit_test(macros_of_inttypes_mean_what_they_say),
		cmocka_unit_test(a_length_that_does_not_fit_the_type_changes_nothing),
		cmocka_unit_test(characters_pointers_and_strings_are_shown_as_printf_shows_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
