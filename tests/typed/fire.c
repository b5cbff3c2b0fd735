/* SPDX-License-Identifier: MIT */
/*
 * Records events with values of every class, like generated code and also byte by byte, to every
 * recorder that is on: fire [kill | TIMES]
 * typed.toml has the declarations, in the same order.
 */
#include <signal.h>
#include <stdlib.h>

#include <waymark/record.h>

#define ROOM 2048

struct payload {
	unsigned char bytes[ROOM];
	size_t at;
};

#define ARG(kind, size)                 \
	{                               \
		WAYMARK_##kind, size, 0 \
	}
#define BOTH (WAYMARK_CTF | WAYMARK_SIMPLE)
#define STATE(id) static uint32_t state_##id WAYMARK_STATE_SECTION = 0
#define LIST(id) static struct waymark_event *const listed_##id WAYMARK_EVENT_SECTION = &event_##id

#define EVENT(id, line, texts, ...)                                                                \
	static const struct waymark_arg args_##id[] = { __VA_ARGS__ };                             \
	STATE(id);                                                                                 \
	static struct waymark_event event_##id = { &state_##id, #id "\0" texts "\0", "typed.toml", \
		args_##id, line, BOTH, sizeof(args_##id) / sizeof(args_##id[0]),                   \
		WAYMARK_EVENT_BRACES, 0, NULL, NULL };                                             \
	LIST(id)

EVENT(t_ints, 2,
	"{} {} {:#x} {:04x} {:x} {:?} {}"
	"\0a\0u8"
	"\0b\0i8"
	"\0c\0u16"
	"\0d\0u32"
	"\0e\0i8"
	"\0f\0i64"
	"\0g\0bool",
	ARG(UNSIGNED, 1), ARG(SIGNED, 1), ARG(UNSIGNED, 2), ARG(UNSIGNED, 4), ARG(SIGNED, 1),
	ARG(SIGNED, 8), ARG(UNSIGNED, 1));
EVENT(t_floats, 8,
	"{} {:?} {:8.2} {:e}"
	"\0a\0f32"
	"\0b\0f64"
	"\0c\0f64"
	"\0d\0f32",
	ARG(FLOAT, 4), ARG(FLOAT, 8), ARG(FLOAT, 8), ARG(FLOAT, 4));
EVENT(t_wide, 14,
	"{} {:#x} {}"
	"\0a\0u128"
	"\0b\0i128"
	"\0c\0i128",
	ARG(UNSIGNED, 16), ARG(SIGNED, 16), ARG(SIGNED, 16));
EVENT(t_text, 20,
	"{} {:?} {:>6}|{}"
	"\0a\0str"
	"\0b\0str"
	"\0c\0str"
	"\0s\0&str",
	ARG(TEXT, 0), ARG(TEXT, 0), ARG(TEXT, 0), ARG(STRING, 0));
EVENT(t_bytes, 26,
	"{:?} {:02x?}"
	"\0a\0&[u8]"
	"\0b\0Vec<u8>",
	ARG(BYTES, 0), ARG(BYTES, 0));
EVENT(t_debug, 32,
	"{:?} {:x?} {:?}"
	"\0a\0&dyn fmt::Debug"
	"\0b\0&dyn fmt::Debug"
	"\0c\0&dyn std::fmt::Debug",
	ARG(DEBUG, 0), ARG(DEBUG, 0), ARG(DEBUG, 0));
EVENT(t_names, 38,
	"{} {} {} {:?} {}"
	"\0x_size\0u8"
	"\0x\0str"
	"\0x_length\0u32"
	"\0y\0&dyn fmt::Debug"
	"\0y_kind\0u16",
	ARG(UNSIGNED, 1), ARG(TEXT, 0), ARG(UNSIGNED, 4), ARG(DEBUG, 0), ARG(UNSIGNED, 2));
EVENT(t_escapes, 44,
	"{{}} \"quoted\" \\ */ tab\there\nline {}"
	"\0a\0&str",
	ARG(STRING, 0));

STATE(t_empty);
static struct waymark_event event_t_empty = { &state_t_empty, "t_empty\0\0", "typed.toml", NULL, 50,
	BOTH, 0, WAYMARK_EVENT_BRACES, 0, NULL, NULL };
LIST(t_empty);

static const struct waymark_arg args_t_scope[] = { ARG(SIGNED, 8), ARG(UNSIGNED, 1) };
static const struct waymark_arg args_t_scope_end[] = { ARG(SIGNED, 8), ARG(UNSIGNED, 4) };
STATE(t_scope);
static struct waymark_event event_t_scope_end = { &state_t_scope,
	"t_scope_end\0\0scope\0int64_t\0scope_tid\0uint32_t\0", "typed.toml", args_t_scope_end, 56,
	BOTH, 2, WAYMARK_EVENT_SCOPE_END, 0, NULL, NULL };
static struct waymark_event event_t_scope = { &state_t_scope,
	"t_scope\0step {}\0scope\0int64_t\0step\0u8\0", "typed.toml", args_t_scope, 56, BOTH, 2,
	WAYMARK_EVENT_BRACES | WAYMARK_EVENT_SCOPE, 0, NULL, &event_t_scope_end };
LIST(t_scope);

WAYMARK_REGISTER_OBJECT()

static void put(struct payload *p, const void *bytes, size_t size, size_t align)
{
	p->at = (p->at + align - 1) / align * align;
	memcpy(p->bytes + p->at, bytes, size);
	p->at += size;
}

static void put_number(struct payload *p, uint64_t v, size_t size)
{
	const uint8_t v8 = (uint8_t)v;
	const uint16_t v16 = (uint16_t)v;
	const uint32_t v32 = (uint32_t)v;
	const void *all[] = { NULL, &v8, &v16, NULL, &v32, NULL, NULL, NULL, &v };

	put(p, all[size], size, size);
}

static void put_float(struct payload *p, float f)
{
	put(p, &f, sizeof(f), sizeof(f));
}

static void put_double(struct payload *p, double f)
{
	put(p, &f, sizeof(f), sizeof(f));
}

static void put_wide(struct payload *p, uint64_t high, uint64_t low)
{
	put_number(p, low, 8);
	put_number(p, high, 8);
}

/* Puts text or bytes; `size` is the program's number of them. */
static void put_blob(struct payload *p, const void *bytes, uint32_t length, uint32_t size)
{
	put_number(p, size, 4);
	put_number(p, length, 4);
	put(p, bytes, length, 1);
}

static void put_text(struct payload *p, const char *text)
{
	put_blob(p, text, (uint32_t)strlen(text), (uint32_t)strlen(text));
}

static void put_string(struct payload *p, const char *text)
{
	put_number(p, strlen(text), 4);
	put(p, text, strlen(text), 1);
}

static void put_debug(struct payload *p, enum waymark_debug_kind kind, uint64_t v, size_t size)
{
	put_number(p, kind, 1);
	put_number(p, v, size);
}

static void put_debug_text(struct payload *p, const char *text)
{
	put_number(p, WAYMARK_DEBUG_STRING, 1);
	put_text(p, text);
}

static void record(struct waymark_event *event, const struct payload *p)
{
	const unsigned int on = WAYMARK_BACKENDS(*event->state);
	const unsigned int bits[] = { WAYMARK_CTF, WAYMARK_SIMPLE };

	for (int i = 0; i < 2; i++) {
		struct waymark_record r;

		if (on & bits[i] &&
			waymark_record_begin(&r, (enum waymark_recorder)i, event, p->at)) {
			waymark_record_bytes(&r, p->bytes, p->at);
			waymark_record_end(&r);
		}
	}
}

static void fire_numbers(void)
{
	struct payload p = { .at = 0 };

	put_number(&p, 200, 1);
	put_number(&p, (uint64_t)-5, 1);
	put_number(&p, 0xabcd, 2);
	put_number(&p, 0xbe, 4);
	put_number(&p, (uint64_t)-1, 1);
	put_number(&p, (uint64_t)INT64_MIN, 8);
	put_number(&p, 1, 1);
	record(&event_t_ints, &p);
	p.at = 0;
	put_float(&p, 0.1f);
	put_double(&p, 1e21);
	put_double(&p, 2.675);
	put_float(&p, 1500);
	record(&event_t_floats, &p);
	p.at = 0;
	put_float(&p, -__builtin_inff());
	put_double(&p, __builtin_nan(""));
	put_double(&p, -0.0);
	put_float(&p, 1e-7f);
	record(&event_t_floats, &p);
	p.at = 0;
	put_wide(&p, UINT64_MAX, UINT64_MAX);
	put_wide(&p, 0x12, 0x3456789abcdef001);
	put_wide(&p, UINT64_MAX, (uint64_t)-7);
	record(&event_t_wide, &p);
}

static void fire_texts(void)
{
	static const unsigned char bytes[] = { 0, 10, 255 };
	struct payload p = { .at = 0 };

	put_text(&p, "plain \033[1m");
	put_text(&p, "\"q\" \n caf\xc3\xa9");
	put_text(&p, "abc");
	put_string(&p, "end");
	record(&event_t_text, &p);
	p.at = 0;
	put_blob(&p, "cut", 3, 1000);
	put_blob(&p, "cut", 3, 4);
	put_text(&p, "");
	put_string(&p, "x");
	record(&event_t_text, &p);
	p.at = 0;
	put_blob(&p, bytes, 3, 3);
	put_blob(&p, bytes, 3, 9);
	record(&event_t_bytes, &p);
}

static void fire_debugs(void)
{
	static const uint16_t wide_kinds[] = { WAYMARK_DEBUG_U128, WAYMARK_DEBUG_I128 };
	struct payload p = { .at = 0 };

	put_debug(&p, WAYMARK_DEBUG_U8, 255, 1);
	put_debug(&p, WAYMARK_DEBUG_I16, (uint64_t)-2, 2);
	put_debug(&p, WAYMARK_DEBUG_BOOL, 1, 1);
	record(&event_t_debug, &p);
	p.at = 0;
	put_debug(&p, WAYMARK_DEBUG_CHAR, 'A', 4);
	put_debug(&p, WAYMARK_DEBUG_U64, 0xdeadbeefcafe, 8);
	put_debug_text(&p, "a \"b\"");
	record(&event_t_debug, &p);
	p.at = 0;
	for (int i = 0; i < 2; i++) {
		put_number(&p, wide_kinds[i], 1);
		put_wide(&p, i ? UINT64_MAX : 1, i ? (uint64_t)-1 : 0);
	}
	put_number(&p, WAYMARK_DEBUG_BYTES, 1);
	put_blob(&p, "\001\002", 2, 2);
	record(&event_t_debug, &p);
	p.at = 0;
	put_number(&p, WAYMARK_DEBUG_F64, 1);
	put_double(&p, 1.0);
	put_number(&p, WAYMARK_DEBUG_F32, 1);
	put_float(&p, 0.25f);
	put_debug(&p, WAYMARK_DEBUG_POINTER, 0x7f00, sizeof(void *));
	record(&event_t_debug, &p);
	p.at = 0;
	put_number(&p, WAYMARK_DEBUG_STRING, 1);
	put_blob(&p, "cu", 2, 3);
	put_debug(&p, WAYMARK_DEBUG_I64, 77, 8);
	put_debug(&p, WAYMARK_DEBUG_U32, 7, 4);
	record(&event_t_debug, &p);
}

static void fire_rest(void)
{
	struct payload p = { .at = 0 };

	put_number(&p, 9, 1);
	put_text(&p, "X");
	put_number(&p, 8, 4);
	put_debug(&p, WAYMARK_DEBUG_I8, (uint64_t)-3, 1);
	put_number(&p, 7, 2);
	record(&event_t_names, &p);
	p.at = 0;
	put_string(&p, "s");
	record(&event_t_escapes, &p);
	p.at = 0;
	record(&event_t_empty, &p);
	put_number(&p, (uint64_t)-2, 8);
	put_number(&p, 3, 1);
	record(&event_t_scope, &p);
	p.at = 0;
	put_number(&p, (uint64_t)-2, 8);
	put_number(&p, 4242, 4);
	record(&event_t_scope_end, &p);
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 1;

	do {
		fire_numbers();
		fire_texts();
		fire_debugs();
		fire_rest();
	} while (--times > 0);
	if (argc > 1 && strcmp(argv[1], "kill") == 0) {
		raise(SIGKILL);
	}
	return 0;
}
