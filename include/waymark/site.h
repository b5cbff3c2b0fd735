/* SPDX-License-Identifier: MIT */
/*
 * waymark/site.h - the expansion of the macros of waymark/scope.h. Not for hand-written code.
 *
 * A trace point without a declaration is declared at its call site: a static descriptor whose
 * pointer is in the same section as those of declared events, so that registry, control and
 * recorder treat it as one. The descriptor has the number and kinds of the arguments and their
 * source text, which the runtime splits when the event is first switched on.
 *
 * Code passes the pointer's address to the runtime, never its value, so that the linker keeps a
 * site exactly as long as code that reaches it. For C++ waymark/site_type.h defines the sites.
 */
#ifndef WAYMARK_SITE_H
#define WAYMARK_SITE_H

#include <waymark/category.h>
#include <waymark/debug.h>
#include <waymark/declared_scope.h>
#include <waymark/descriptor.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* The most arguments of a trace point, see WAYMARK_SITE_COUNT(). */
#define WAYMARK_SITE_VALUES_MAX 16

/* The most bytes of all texts of a trace point: half of the longest record. */
#define WAYMARK_SITE_TEXTS_MAX 16384u

enum waymark_site_kind {
	WAYMARK_SITE_SCOPE, /* ends on its thread */
	WAYMARK_SITE_FLOW, /* ends on any thread */
	WAYMARK_SITE_STEP, /* step of a flow */
	WAYMARK_SITE_INSTANT,
	WAYMARK_SITE_COUNTER,
	WAYMARK_SITE_PRINT, /* formatted text */
};

struct waymark_site {
	struct waymark_event event; /* must be first; its format is the arguments' source text */
	struct waymark_event end; /* end of a scope or flow */
	struct waymark_category *category; /* NULL: WAYMARK_PRINT() */
	uint32_t kind; /* enum waymark_site_kind */
	uint32_t state; /* of the event */
};

/* A site's pointer, in the section that the registry reads. */
typedef struct waymark_event *const waymark_site_pointer;

/* A scope of a block, or of WAYMARK_BEGIN(); a token of 0 is off. */
struct waymark_site_scope {
	uint64_t token;
	waymark_site_pointer *site;
};

/*
 * Functions that trace points call while they are on. They may change the arrays, and keep errno.
 * Any thread; as async-signal-safe as callbacks of values.
 *
 * `words`: the record without its header, `bytes` long, if all arguments are scalars, see
 * waymark_site_pack(). The first word is the number of the scope or flow, if there is one; the
 * runtime fills it in when the scope or flow begins.
 *
 * `values`: the same number, present also for instants, then the `count` arguments. `max`: the most
 * bytes of each text.
 */
uint64_t waymark_site_enter_packed(
	waymark_site_pointer *site, uint64_t *words, uint32_t bytes) WAYMARK_COLD;
struct waymark_scope waymark_site_start_packed(
	waymark_site_pointer *site, uint64_t *words, uint32_t bytes) WAYMARK_COLD;
void waymark_site_fire_packed(
	waymark_site_pointer *site, uint64_t *words, uint32_t bytes) WAYMARK_COLD;
uint64_t waymark_site_enter(waymark_site_pointer *site, struct waymark_debug *values,
	uint32_t count, uint32_t max) WAYMARK_COLD;
struct waymark_scope waymark_site_start(waymark_site_pointer *site, struct waymark_debug *values,
	uint32_t count, uint32_t max) WAYMARK_COLD;
void waymark_site_fire(waymark_site_pointer *site, struct waymark_debug *values, uint32_t count,
	uint32_t max) WAYMARK_COLD;
void waymark_site_leave(waymark_site_pointer *site, uint64_t token) WAYMARK_COLD;
void waymark_site_print(waymark_site_pointer *site, const char *format, ...) WAYMARK_COLD
	WAYMARK_PRINTF(2, 3);

/*
 * For WAYMARK_BEGIN(): the first returns whether the thread can begin another scope, which is lost
 * otherwise; the second notes a begun scope, with a token of 0 if it is off. For WAYMARK_END(): the
 * third ends the last scope of the category.
 */
bool waymark_site_may_begin(waymark_site_pointer *site) WAYMARK_COLD;
void waymark_site_begun(waymark_site_pointer *site, uint64_t token) WAYMARK_COLD;
void waymark_site_end(const struct waymark_category *category) WAYMARK_COLD;

/* The number of begun scopes of the calling thread; 0 if no scope is on. */
extern __thread uint32_t waymark_site_depth __attribute__((tls_model("initial-exec")));

/* The arguments of every scope's end. */
extern const struct waymark_arg waymark_site_end_args[2];

#pragma GCC visibility pop

WAYMARK_SCOPE_INLINE __attribute__((always_inline)) void waymark_site_scope_end(
	struct waymark_site_scope *scope)
{
	if (WAYMARK_UNLIKELY(scope->token != 0)) {
		waymark_site_leave(scope->site, scope->token);
	}
}

#ifdef __cplusplus
}
#endif

/* ---- waymark_kind(x): the kind of waymark_debug(x), as a constant ---- */

/*
 * Gives an enum waymark_debug_kind; WAYMARK_DEBUG_OBJECT for a struct waymark_debug. In C++ it is
 * the size of an overloaded function's result. Evaluates nothing.
 */

/* The kind that each maker of WAYMARK_DEBUG_TYPES() makes. */
#define WAYMARK_KIND_bool WAYMARK_DEBUG_BOOL
#define WAYMARK_KIND_plain_char WAYMARK_DEBUG_CHAR
#define WAYMARK_KIND_i8 WAYMARK_DEBUG_I8
#define WAYMARK_KIND_u8 WAYMARK_DEBUG_U8
#define WAYMARK_KIND_i16 WAYMARK_DEBUG_I16
#define WAYMARK_KIND_u16 WAYMARK_DEBUG_U16
#define WAYMARK_KIND_i32 WAYMARK_DEBUG_I32
#define WAYMARK_KIND_u32 WAYMARK_DEBUG_U32
#define WAYMARK_KIND_long WAYMARK_DEBUG_BY_WIDTH(I, long)
#define WAYMARK_KIND_ulong WAYMARK_DEBUG_BY_WIDTH(U, long)
#define WAYMARK_KIND_i64 WAYMARK_DEBUG_I64
#define WAYMARK_KIND_u64 WAYMARK_DEBUG_U64
#define WAYMARK_KIND_u128 WAYMARK_DEBUG_U128
#define WAYMARK_KIND_i128 WAYMARK_DEBUG_I128
#define WAYMARK_KIND_f32 WAYMARK_DEBUG_F32
#define WAYMARK_KIND_f64 WAYMARK_DEBUG_F64
#define WAYMARK_KIND_long_double WAYMARK_DEBUG_F64
#define WAYMARK_KIND_string WAYMARK_DEBUG_STRING
#define WAYMARK_KIND_pointer WAYMARK_DEBUG_POINTER
#define WAYMARK_KIND_same WAYMARK_DEBUG_OBJECT

#ifdef __cplusplus
extern "C++" {

/* The overloads of waymark_debug_of(); declared only, never called. */
#define WAYMARK_KIND_OF(maker, type) char(&waymark_kind_of(type))[WAYMARK_KIND_##maker + 1];

WAYMARK_DEBUG_TYPES(WAYMARK_KIND_OF)
WAYMARK_KIND_OF(pointer, const volatile void *)
WAYMARK_KIND_OF(pointer, decltype(nullptr))
WAYMARK_KIND_OF(same, const struct waymark_debug &)

#undef WAYMARK_KIND_OF

/* The kind of an enum is that of its integer type. */
template <typename T>
char (&waymark_kind_of(
	T value, typename waymark_debug_enum<T, waymark_debug_is_enum<T>::value>::type * =
			 nullptr))[sizeof(waymark_kind_of(typename waymark_debug_enum<T,
	waymark_debug_is_enum<T>::value>::type()))];

template <typename R, typename... A>
char (&waymark_kind_of(R (*function)(A...)))[WAYMARK_DEBUG_POINTER + 1];
template <typename R, typename... A>
char (&waymark_kind_of(R (*function)(A..., ...)))[WAYMARK_DEBUG_POINTER + 1];

#define waymark_kind(x) (sizeof(waymark_kind_of(x)) - 1)

} /* extern "C++" */
#else
/* clang-format off */
#define WAYMARK_KIND_CHOICE(maker, type) type: WAYMARK_KIND_##maker,
#define waymark_kind(x) __extension__ _Generic((x), \
	WAYMARK_DEBUG_TYPES(WAYMARK_KIND_CHOICE) \
	char *: WAYMARK_KIND_string, \
	struct waymark_debug: WAYMARK_KIND_same, \
	default: WAYMARK_KIND_pointer)
/* clang-format on */
#endif

/* ---- Scalars packed as they are laid out in a record ---- */

/*
 * Inlined at the call site: compilers reduce each word to one store. Every word is stored in one
 * piece, so that copying words does not wait for narrow stores and gaps between arguments are zero.
 */

#define WAYMARK_SITE_INLINE static inline __attribute__((always_inline, unused))

/* Returns the bytes of a scalar of that kind; for 128 bits, of each half. */
WAYMARK_SITE_INLINE uint32_t waymark_site_width(uint32_t kind)
{
	switch (kind) {
	case WAYMARK_DEBUG_U8:
	case WAYMARK_DEBUG_I8:
	case WAYMARK_DEBUG_BOOL:
		return 1;
	case WAYMARK_DEBUG_U16:
	case WAYMARK_DEBUG_I16:
		return 2;
	case WAYMARK_DEBUG_U32:
	case WAYMARK_DEBUG_I32:
	case WAYMARK_DEBUG_F32:
	case WAYMARK_DEBUG_CHAR:
		return 4;
	case WAYMARK_DEBUG_POINTER:
		return sizeof(void *);
	default:
		return 8;
	}
}

/* Returns true if values of this kind are recorded after a byte with the kind. */
WAYMARK_SITE_INLINE bool waymark_site_is_tagged(uint32_t kind)
{
	return kind == WAYMARK_DEBUG_CHAR || kind == WAYMARK_DEBUG_POINTER;
}

WAYMARK_SITE_INLINE bool waymark_site_is_wide(uint32_t kind)
{
	return kind == WAYMARK_DEBUG_U128 || kind == WAYMARK_DEBUG_I128;
}

/* Returns the first place at or after `at` that is aligned for that width. */
WAYMARK_SITE_INLINE uint32_t waymark_site_align(uint32_t at, uint32_t width)
{
	return (at + width - 1) & ~(width - 1);
}

/* Stores the low bytes of `bits`; returns the place after them. */
WAYMARK_SITE_INLINE uint32_t waymark_site_place(
	uint64_t *words, uint32_t at, uint32_t width, uint64_t bits)
{
	at = waymark_site_align(at, width);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	uint32_t shift = 8 * (8 - width - at % 8);
#else
	uint32_t shift = 8 * (at % 8);
#endif
	bits &= UINT64_MAX >> (64 - 8 * width);
	/*
	 * A scalar at the beginning of a word is the word's first, so the old content is dropped.
	 */
	words[at / 8] = (at % 8 ? words[at / 8] : 0) | bits << shift;
	return at + width;
}

/* Stores a scalar; returns the place after it. */
WAYMARK_SITE_INLINE uint32_t waymark_site_pack(
	uint64_t *words, uint32_t at, struct waymark_debug value)
{
	uint64_t bits = value.as.u;
	uint32_t half;

	if (value.kind == WAYMARK_DEBUG_F32) {
		memcpy(&half, &value.as.f32, sizeof(half));
		bits = half;
	}
	if (waymark_site_is_tagged(value.kind)) {
		at = waymark_site_place(words, at, 1, value.kind);
	}
	at = waymark_site_place(words, at, waymark_site_width(value.kind), bits);
	if (waymark_site_is_wide(value.kind)) {
		at = waymark_site_place(words, at, 8, value.as.wide.high);
	}
	return at;
}

/* ---- Lists of arguments: count, and apply a macro to each ---- */

/* clang-format off */

/* The number of arguments after the name: 0 to 16; 17 for 17 to 32, which are refused. */
#define WAYMARK_SITE_COUNT(...) WAYMARK_SITE_COUNT_(__VA_ARGS__, \
	17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, 17, \
	16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, ~)
#define WAYMARK_SITE_COUNT_(name, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, \
	A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, count, ...) count

/* A list ends in a `~`, because C99 requires an argument for `...`. */
#define WAYMARK_SITE_EACH(macro, ...) \
	WAYMARK_SITE_APPLY(WAYMARK_SITE_PASTE(WAYMARK_SITE_EACH_, WAYMARK_SITE_COUNT(__VA_ARGS__)), \
		macro, WAYMARK_SITE_BEHIND(__VA_ARGS__, ~))
#define WAYMARK_SITE_APPLY(each, ...) each(__VA_ARGS__)
#define WAYMARK_SITE_BEHIND(name, ...) __VA_ARGS__
#define WAYMARK_SITE_NAME(...) WAYMARK_SITE_FIRST(__VA_ARGS__, ~)
#define WAYMARK_SITE_FIRST(name, ...) name
#define WAYMARK_SITE_PASTE(a, b) WAYMARK_SITE_PASTE_(a, b)
#define WAYMARK_SITE_PASTE_(a, b) a##b

#define WAYMARK_SITE_EACH_0(macro, ...)
#define WAYMARK_SITE_EACH_1(macro, x, ...) macro(x)
#define WAYMARK_SITE_EACH_2(macro, x, ...) macro(x) WAYMARK_SITE_EACH_1(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_3(macro, x, ...) macro(x) WAYMARK_SITE_EACH_2(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_4(macro, x, ...) macro(x) WAYMARK_SITE_EACH_3(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_5(macro, x, ...) macro(x) WAYMARK_SITE_EACH_4(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_6(macro, x, ...) macro(x) WAYMARK_SITE_EACH_5(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_7(macro, x, ...) macro(x) WAYMARK_SITE_EACH_6(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_8(macro, x, ...) macro(x) WAYMARK_SITE_EACH_7(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_9(macro, x, ...) macro(x) WAYMARK_SITE_EACH_8(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_10(macro, x, ...) macro(x) WAYMARK_SITE_EACH_9(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_11(macro, x, ...) macro(x) WAYMARK_SITE_EACH_10(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_12(macro, x, ...) macro(x) WAYMARK_SITE_EACH_11(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_13(macro, x, ...) macro(x) WAYMARK_SITE_EACH_12(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_14(macro, x, ...) macro(x) WAYMARK_SITE_EACH_13(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_15(macro, x, ...) macro(x) WAYMARK_SITE_EACH_14(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_16(macro, x, ...) macro(x) WAYMARK_SITE_EACH_15(macro, __VA_ARGS__)
#define WAYMARK_SITE_EACH_17(macro, ...) macro(a_trace_point_has_at_most_16_arguments)

/* ---- A site ---- */

#define WAYMARK_SITE_ARG(x) { waymark_kind(x), 0, 0 },

/* The first field of a record, which is the number of a scope or flow. */
#define WAYMARK_SITE_LEAD_SCOPE { WAYMARK_SIGNED, sizeof(int64_t), 0 },
#define WAYMARK_SITE_LEAD_FLOW WAYMARK_SITE_LEAD_SCOPE
#define WAYMARK_SITE_LEAD_STEP WAYMARK_SITE_LEAD_SCOPE
#define WAYMARK_SITE_LEAD_INSTANT
#define WAYMARK_SITE_LEAD_COUNTER
#define WAYMARK_SITE_LEAD_PRINT

/* The rest of the name of a scope's end, and the texts that follow it. */
#define WAYMARK_SITE_END_TEXTS "_end\0\0scope\0i64\0scope_tid\0u32\0"

/* At -O0 a site that is compiled out remains as data; the registry skips it. */
#define WAYMARK_SITE_FLAGS \
	(WAYMARK_EVENT_BRACES | WAYMARK_EVENT_SITE | (waymark_in ? 0 : WAYMARK_EVENT_OUT))
#define WAYMARK_SITE_FLAGS_SCOPE (WAYMARK_SITE_FLAGS | WAYMARK_EVENT_SCOPE)
#define WAYMARK_SITE_FLAGS_FLOW WAYMARK_SITE_FLAGS_SCOPE
#define WAYMARK_SITE_FLAGS_STEP WAYMARK_SITE_FLAGS
#define WAYMARK_SITE_FLAGS_INSTANT WAYMARK_SITE_FLAGS
#define WAYMARK_SITE_FLAGS_COUNTER WAYMARK_SITE_FLAGS
#define WAYMARK_SITE_FLAGS_PRINT WAYMARK_SITE_FLAGS
#define WAYMARK_SITE_FLAGS_END \
	(WAYMARK_EVENT_BRACES | WAYMARK_EVENT_SITE | WAYMARK_EVENT_SCOPE_END)

/*
 * Needs `waymark_in` in scope. `owner` is the category, `label` the prefix of the event's name;
 * `...` is the name and the arguments, `source` their source text.
 */
#define WAYMARK_SITE_INITIAL(kind, owner, name, source, here, args, count) { \
		{ &(here).state, name "\0" source, __FILE__, args, __LINE__, \
			WAYMARK_SITE_BACKENDS, count, WAYMARK_SITE_FLAGS_##kind, 0, NULL, \
			WAYMARK_SITE_##kind <= WAYMARK_SITE_FLOW ? &(here).end : NULL }, \
		{ &(here).state, name WAYMARK_SITE_END_TEXTS, __FILE__, waymark_site_end_args, __LINE__, \
			WAYMARK_SITE_BACKENDS, 2, WAYMARK_SITE_FLAGS_END, 0, NULL, NULL }, \
		owner, WAYMARK_SITE_##kind, 0 \
	}

/* If the name is not a string literal, makes this the compiler's only error. */
#ifdef __cplusplus
#define WAYMARK_SITE_ASSERT(condition, text) static_assert(condition, text);
#else
#define WAYMARK_SITE_ASSERT(condition, text) __extension__ _Static_assert(condition, text);
#endif
#define WAYMARK_SITE_IS_LITERAL(name) WAYMARK_SITE_ASSERT(true, name)

/*
 * In C this is a bit-field: with C99, a second _Static_assert of the C library would be a redundant
 * declaration.
 */
#ifdef __cplusplus
#define WAYMARK_SITE_IS_NUMBER(value) \
	static_assert(waymark_kind(value) <= WAYMARK_DEBUG_BOOL, "a_counter_is_a_number_or_bool");
#else
#define WAYMARK_SITE_IS_NUMBER(value) \
	(void)sizeof(struct { \
		int a_counter_is_a_number_or_bool \
			: waymark_kind(value) <= WAYMARK_DEBUG_BOOL ? 1 : -1; \
	});
#endif

#ifndef __cplusplus
#define WAYMARK_SITE_DEFINE(kind, owner, label, source, ...) \
	WAYMARK_SITE_IS_LITERAL(WAYMARK_SITE_NAME(__VA_ARGS__)) \
	static const struct waymark_arg waymark_args[] = { \
		WAYMARK_SITE_LEAD_##kind \
		WAYMARK_SITE_EACH(WAYMARK_SITE_ARG, __VA_ARGS__) \
		{ 0, 0, 0 } \
	}; \
	static struct waymark_site waymark_here = WAYMARK_SITE_INITIAL(kind, owner, \
		label WAYMARK_SITE_NAME(__VA_ARGS__), source, waymark_here, waymark_args, \
		sizeof(waymark_args) / sizeof(waymark_args[0]) - 1); \
	static waymark_site_pointer waymark_point \
		__attribute__((section("waymark_events"), aligned(sizeof(void *)))) = \
			&waymark_here.event;

/* The site's state, its pointer, and its pointer while it is on. */
#define WAYMARK_SITE_STATE waymark_here.state
#define WAYMARK_SITE_POINT (&waymark_point)
#define WAYMARK_SITE_REACHED (&waymark_point)
#endif

/* The same for a site of a category. */
#define WAYMARK_SITE_DEFINE_IN(category, kind, ...) \
	WAYMARK_CATEGORY_KNOW(category) \
	WAYMARK_SITE_DEFINE(kind, WAYMARK_CATEGORY_OWNER(category), __VA_ARGS__)

/* True if the trace point is on. */
#define WAYMARK_SITE_ON (waymark_in && WAYMARK_UNLIKELY(WAYMARK_STATE(WAYMARK_SITE_STATE) != 0))

/* Counts arguments without a fixed size, which are passed as values and share the room for texts. */
#define WAYMARK_SITE_IS_LONG(x) + ((waymark_kind(x)) == WAYMARK_DEBUG_STRING || \
	(waymark_kind(x)) == WAYMARK_DEBUG_OBJECT)
#define WAYMARK_SITE_LONG(...) (0 WAYMARK_SITE_EACH(WAYMARK_SITE_IS_LONG, __VA_ARGS__))
#define WAYMARK_SITE_TEXT_MAX(longs) (WAYMARK_SITE_TEXTS_MAX / ((longs) ? (longs) : 1))

#define WAYMARK_SITE_VALUE(x) , waymark_debug(x)
#define WAYMARK_SITE_PACK(x) \
	waymark_bytes = waymark_site_pack(waymark_words, waymark_bytes, waymark_debug(x));

/*
 * Calls `function`, or its variant for packed words if all arguments are scalars. If `numbered`,
 * the record begins with the number of a scope or flow.
 */
#define WAYMARK_SITE_CALL(function, numbered, number, ...) \
	(WAYMARK_SITE_LONG(__VA_ARGS__) == 0 ? __extension__({ \
		uint64_t waymark_words[1 + 2 * WAYMARK_SITE_COUNT(__VA_ARGS__)]; \
		uint32_t waymark_bytes = 0; \
		if (numbered) { \
			waymark_bytes = waymark_site_place( \
				waymark_words, 0, 8, WAYMARK_CAST(uint64_t, number)); \
		} \
		WAYMARK_SITE_EACH(WAYMARK_SITE_PACK, __VA_ARGS__) \
		function##_packed(WAYMARK_SITE_REACHED, waymark_words, waymark_bytes); \
	}) : __extension__({ \
		struct waymark_debug waymark_values[] = { \
			waymark_debug_i64(number) WAYMARK_SITE_EACH(WAYMARK_SITE_VALUE, __VA_ARGS__) \
		}; \
		function(WAYMARK_SITE_REACHED, waymark_values, WAYMARK_SITE_COUNT(__VA_ARGS__), \
			WAYMARK_SITE_TEXT_MAX(WAYMARK_SITE_LONG(__VA_ARGS__))); \
	}))

/* ---- The trace points; `category` is passed on to WAYMARK_CATEGORY_KNOW() ---- */

#define WAYMARK_SITE_ENTER(category, label, source, ...) __extension__({ \
	WAYMARK_SITE_DEFINE_IN(category, SCOPE, label, source, __VA_ARGS__) \
	struct waymark_site_scope waymark_entered = { 0, WAYMARK_SITE_POINT }; \
	if (WAYMARK_SITE_ON) { \
		waymark_entered.token = WAYMARK_SITE_CALL(waymark_site_enter, true, 0, __VA_ARGS__); \
	} \
	waymark_entered; \
})

/*
 * A scope that is off is noted if it is inside one that is on, so that its end does not end the
 * outer one.
 */
#define WAYMARK_SITE_BEGIN(category, label, source, ...) \
	do { \
		WAYMARK_SITE_DEFINE_IN(category, SCOPE, label, source, __VA_ARGS__) \
		if (WAYMARK_SITE_ON) { \
			if (waymark_site_may_begin(WAYMARK_SITE_REACHED)) { \
				waymark_site_begun(WAYMARK_SITE_REACHED, \
					WAYMARK_SITE_CALL(waymark_site_enter, true, 0, __VA_ARGS__)); \
			} \
		} else if (waymark_in && WAYMARK_UNLIKELY(waymark_site_depth != 0)) { \
			waymark_site_begun(WAYMARK_SITE_POINT, 0); \
		} \
	} while (0)

#define WAYMARK_SITE_END(category) \
	do { \
		WAYMARK_CATEGORY_KNOW(category) \
		if (waymark_in && WAYMARK_UNLIKELY(waymark_site_depth != 0)) { \
			waymark_site_end(WAYMARK_CATEGORY_OWNER(category)); \
		} \
	} while (0)

#define WAYMARK_SITE_START(category, label, source, ...) __extension__({ \
	WAYMARK_SITE_DEFINE_IN(category, FLOW, label, source, __VA_ARGS__) \
	struct waymark_scope waymark_started = waymark_scope_none(); \
	if (WAYMARK_SITE_ON) { \
		waymark_started = WAYMARK_SITE_CALL(waymark_site_start, true, 0, __VA_ARGS__); \
	} \
	waymark_started; \
})

#define WAYMARK_SITE_HAPPEN(category, label, source, ...) \
	do { \
		WAYMARK_SITE_DEFINE_IN(category, INSTANT, label, source, __VA_ARGS__) \
		if (WAYMARK_SITE_ON) { \
			WAYMARK_SITE_CALL(waymark_site_fire, false, 0, __VA_ARGS__); \
		} \
	} while (0)

#define WAYMARK_SITE_SHOW(category, label, name, value) \
	do { \
		WAYMARK_CATEGORY_KNOW(category) \
		WAYMARK_SITE_IS_NUMBER(value) \
		WAYMARK_SITE_DEFINE(COUNTER, WAYMARK_CATEGORY_OWNER(category), label, "name, value", name, value) \
		if (WAYMARK_SITE_ON) { \
			WAYMARK_SITE_CALL(waymark_site_fire, false, 0, name, value); \
		} \
	} while (0)

/*
 * The flow precedes the name, so that it is not counted as an argument. A flow that has not begun,
 * or has ended, has no number: nothing is recorded.
 */
#define WAYMARK_SITE_GO(category, label, source, flow, ...) \
	do { \
		WAYMARK_SITE_DEFINE_IN(category, STEP, label, source, __VA_ARGS__) \
		if (WAYMARK_SITE_ON) { \
			const struct waymark_scope *waymark_site_flow = (flow); \
			if (waymark_site_flow->end) { \
				WAYMARK_SITE_CALL(waymark_site_fire, true, waymark_site_flow->id, __VA_ARGS__); \
			} \
		} \
	} while (0)

#define WAYMARK_SITE_TELL(know, owner, label, ...) \
	do { \
		know \
		WAYMARK_SITE_DEFINE(PRINT, owner, label, "name, text", "print", "") \
		if (WAYMARK_SITE_ON) { \
			waymark_site_print(WAYMARK_SITE_REACHED, __VA_ARGS__); \
		} \
	} while (0)

/* clang-format on */

#endif
