/* SPDX-License-Identifier: MIT */
/*
 * waymark/descriptor.h - the descriptors of events that generated code defines and the runtime
 * registers, and an object's list of them. Not for hand-written code.
 */
#ifndef WAYMARK_DESCRIPTOR_H
#define WAYMARK_DESCRIPTOR_H

#include <waymark/backend.h>
#include <waymark/event.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* Raised when generated code and runtime no longer fit each other; checked at registration. */
#define WAYMARK_ABI 9

enum waymark_kind {
	WAYMARK_UNSIGNED,
	WAYMARK_SIGNED,
	WAYMARK_POINTER,
	WAYMARK_STRING, /* ends in NUL */
	WAYMARK_FLOAT,
	WAYMARK_TEXT, /* two parameters: text, and its length in bytes */
	WAYMARK_BYTES, /* the same for bytes */
	WAYMARK_DEBUG, /* struct waymark_debug */
};

/* The kind of a plain char, whose sign the host decides. */
#ifdef __CHAR_UNSIGNED__
#define WAYMARK_CHAR WAYMARK_UNSIGNED
#else
#define WAYMARK_CHAR WAYMARK_SIGNED
#endif

/* How an argument of an event is recorded. */
struct waymark_arg {
	uint8_t kind; /* enum waymark_kind */
	/*
	 * Bytes on this host, 16 for 128 bits; 0 if they vary. For a string that simple does not
	 * record as a string: the size of its address, or WAYMARK_NOT_IN_SIMPLE.
	 */
	uint8_t size;
	/*
	 * Of a string: how much of it is recorded (waymark/record.h). Of a WAYMARK_DEBUG: the
	 * number, from 0, of the message's placeholder that prints it.
	 */
	uint16_t part;
};

#define WAYMARK_NOT_IN_SIMPLE 1

/* Properties of an event: bits of its `flags`. */
enum waymark_event_flag {
	WAYMARK_EVENT_VCPU = 1 << 0, /* its first argument is its CPU */
	WAYMARK_EVENT_TRANS = 1 << 1, /* fires when guest code is translated */
	WAYMARK_EVENT_EXEC = 1 << 2, /* fires when translated guest code runs */
	WAYMARK_EVENT_BRACES = 1 << 3, /* declared in TOML: its format is a message with braces */
	WAYMARK_EVENT_SCOPE = 1 << 4, /* the begin of a scope */
	WAYMARK_EVENT_SCOPE_END = 1 << 5, /* the end of a scope; not in the registry's lists */
	WAYMARK_EVENT_SITE = 1 << 6, /* declared at its call site: a struct waymark_site */
	WAYMARK_EVENT_OUT =
		1 << 7, /* compiled out but still in the object: the registry skips it */
};

struct waymark_vcpu_set;

/*
 * An event's descriptor. The generated code owns it, and the registry finds it. It has few
 * pointers, because a pointer costs a position-independent program 32 bytes.
 */
struct waymark_event {
	uint32_t *state;
	/*
	 * Its name. After the NUL follow, each with a NUL: the format as declared, a printf format
	 * in C syntax, a message with braces, or nothing; name and type of each argument; and what
	 * they mean, the statements `@enum op 0=read` and so on, each with a newline. A trace point
	 * of waymark/scope.h has only name and format.
	 */
	const char *name;
	const char *file; /* of the declaration, as `line` */
	const struct waymark_arg *args;
	uint32_t line;
	uint16_t backends; /* compiled in, of enum waymark_backend */
	uint8_t arg_count;
	uint8_t flags; /* of enum waymark_event_flag */
	uint32_t id; /* written by the runtime when the event is first switched on */
	struct waymark_vcpu_set *vcpus; /* written by the runtime; NULL: same state on all CPUs */
	struct waymark_event *end; /* of a scope: the event of its end, with the same state */
};

/* All events of one executable or shared object. Written by the runtime only. */
struct waymark_object {
	uint32_t abi;
	uint32_t registered;
	struct waymark_event *const *begin;
	struct waymark_event *const *end;
	struct waymark_object *next;
	struct waymark_object *prev;
	uint64_t serial; /* of the registration, by which iterators continue */
};

/* Adds an object's events to the registry, or removes them. Any thread; idempotent. */
void waymark_register(struct waymark_object *object);
void waymark_unregister(struct waymark_object *object);

/*
 * The number of external tracers that watch the event's USDT probe: the kernel's half of the state
 * word.
 */
#define WAYMARK_WATCHERS(word) (0u + __atomic_load_n(WAYMARK_HALF(word) + 1, __ATOMIC_RELAXED))

/*
 * State words are in `.probes`: a section that is writable and file-backed, never .bss and never
 * RELRO, because the kernel can raise a USDT semaphore only there. `used` makes link-time
 * optimisation keep the name by which probes refer to the word.
 */
#define WAYMARK_STATE_SECTION __attribute__((used, section(".probes"), aligned(4)))

#if defined(__has_attribute)
#if __has_attribute(retain)
#define WAYMARK_RETAIN __attribute__((used, retain))
#endif
#endif
#ifndef WAYMARK_RETAIN
#define WAYMARK_RETAIN __attribute__((used))
#endif

/*
 * Section of the pointers to descriptors, which the linker puts into one array for each object.
 * Aligned as pointers are, because compilers align large arrays more, which leaves holes.
 */
#define WAYMARK_EVENT_SECTION \
	__attribute__((used, section("waymark_events"), aligned(sizeof(void *))))

/*
 * Keeps such an array when the linker removes unreferenced sections. The array itself is not marked
 * `retain`, because the pointers of trace points without a declaration are in the same section and
 * are not, and link-time optimisation warns about the mix.
 */
#define WAYMARK_KEEP(group) WAYMARK_KEEP_(group)
#define WAYMARK_KEEP_(group) \
	static struct waymark_event *const *const group##_kept WAYMARK_RETAIN = group;

/*
 * Registers the object that this translation unit is linked into. Every unit has the constructor.
 * The linker keeps one struct waymark_object, and only the first call has an effect. The section's
 * symbols are weak, because an object may have no event left. The constructor runs before the
 * program's constructors, whose events would be lost otherwise, and after those of a statically
 * linked library, which have priority 101.
 */
#define WAYMARK_REGISTER_OBJECT() WAYMARK_REGISTER_OBJECT_BY(waymark)
#define WAYMARK_REGISTER_OBJECT_BY(who)                                                     \
	extern struct waymark_event *const __start_waymark_events[] WAYMARK_HIDDEN          \
		__attribute__((weak));                                                      \
	extern struct waymark_event *const __stop_waymark_events[] WAYMARK_HIDDEN           \
		__attribute__((weak));                                                      \
	WAYMARK_HIDDEN                                                                      \
	__attribute__((weak)) struct waymark_object waymark_this_object = { WAYMARK_ABI, 0, \
		__start_waymark_events, __stop_waymark_events, NULL, NULL, 0 };             \
	__attribute__((constructor(102))) static void who##_register_object(void)           \
	{                                                                                   \
		waymark_register(&waymark_this_object);                                     \
	}                                                                                   \
	__attribute__((destructor(102))) static void who##_unregister_object(void)          \
	{                                                                                   \
		waymark_unregister(&waymark_this_object);                                   \
	}

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
