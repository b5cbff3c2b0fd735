/* SPDX-License-Identifier: MIT */
/*
 * waymark/category.h - the categories of the trace points of waymark/scope.h, defined by one list
 * of the program.
 *
 *	#define DEVICE_CATEGORIES(C) \
 *		C(VirtioFs, true, "the file system of the guest") \
 *		C(VirtioNet, false, "its network")
 *	WAYMARK_CATEGORIES(DEVICE_CATEGORIES)
 *
 * A category of `false` is compiled out: its trace points leave no instruction and evaluate
 * nothing, but their arguments are type-checked. A category of `true` is off until a pattern of the
 * option, the environment or the monitor matches it: `VirtioFs` or `VirtioFs:read*`.
 *
 * There may be several lists, but a name may be in only one of them. waymark-trace-points(3) is the
 * manual. Compiles as C99 and C++11 with gcc and clang.
 */
#ifndef WAYMARK_CATEGORY_H
#define WAYMARK_CATEGORY_H

#include <stdbool.h>

#include <waymark/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A category at run time. An executable or shared object has one for each name. */
struct waymark_category {
	const char *name;
	const char *description;
	bool is_in; /* compiled in */
	int64_t live __attribute__((
		aligned(8))); /* scopes of WAYMARK_BEGIN() that have not ended; atomic */
};

/* clang-format off */
#ifdef __cplusplus
}
#define WAYMARK_CATEGORY_LINKAGE(...) extern "C" { __VA_ARGS__ }
#else
#define WAYMARK_CATEGORY_LINKAGE(...) __VA_ARGS__
#endif
/* clang-format on */

/*
 * Defines for each name the constant WAYMARK_CATEGORY_<name>_IN and the struct waymark_category
 * waymark_category_<name>.
 */
#define WAYMARK_CATEGORIES(list) list(WAYMARK_CATEGORY_DECLARE) WAYMARK_CATEGORIES_END
#define WAYMARK_CATEGORIES_END struct waymark_category

/* clang-format off */
#define WAYMARK_CATEGORY_DECLARE(name_, in, description_) \
	enum { WAYMARK_CATEGORY_##name_##_IN = (in) }; \
	struct WAYMARK_CATEGORY_TAG(waymark_category_##name_) { \
		char in_and_one[1 + WAYMARK_CATEGORY_##name_##_IN]; \
	}; \
	WAYMARK_CATEGORY_LINKAGE( \
		WAYMARK_HIDDEN __attribute__((weak, unused)) struct waymark_category \
			waymark_category_##name_ = { #name_, description_, in, 0 };) \
	WAYMARK_CATEGORY_FIND(waymark_category_##name_)

/*
 * Access for trace points to waymark_category_<name>: WAYMARK_CATEGORY_KNOW() defines `waymark_in`,
 * whether it is compiled in; WAYMARK_CATEGORY_OWNER() is its address. A name in no list causes a
 * single compile error, whose text says so: the incomplete struct of WAYMARK_CATEGORY_TAG().
 * Everything else must still compile: C declares the variable once more, C++ gets its address from
 * an overload on that struct.
 */
#define WAYMARK_CATEGORY_TAG(category) category##_is_not_in_WAYMARK_CATEGORIES
#ifdef __cplusplus
#define WAYMARK_CATEGORY_FIND(category) \
	extern "C++" { \
	WAYMARK_HIDDEN constexpr struct waymark_category *waymark_category_of( \
		const struct WAYMARK_CATEGORY_TAG(category) *) \
	{ \
		return &category; \
	} \
	}
#define WAYMARK_CATEGORY_KNOW(category) \
	enum { waymark_in = sizeof(struct WAYMARK_CATEGORY_TAG(category)) - 1 };
#define WAYMARK_CATEGORY_OWNER(category) \
	waymark_category_of(static_cast<const struct WAYMARK_CATEGORY_TAG(category) *>(nullptr))
extern "C++" {
WAYMARK_HIDDEN constexpr struct waymark_category *waymark_category_of(const void *)
{
	return nullptr;
}
}
#else
#define WAYMARK_CATEGORY_FIND(category)
#define WAYMARK_CATEGORY_KNOW(category) \
	enum { waymark_in = sizeof(struct WAYMARK_CATEGORY_TAG(category)) - 1 }; \
	_Pragma("GCC diagnostic push") \
	_Pragma("GCC diagnostic ignored \"-Wnested-externs\"") \
	_Pragma("GCC diagnostic ignored \"-Wredundant-decls\"") \
	extern struct waymark_category category; \
	_Pragma("GCC diagnostic pop")
#define WAYMARK_CATEGORY_OWNER(category) &category
#endif
/* clang-format on */

/* Gives the number of scopes of the category's WAYMARK_BEGIN() that have not ended. Any thread. */
#define WAYMARK_LIVE(category) __atomic_load_n(&waymark_category_##category.live, __ATOMIC_RELAXED)

#endif
