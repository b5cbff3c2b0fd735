/* SPDX-License-Identifier: MIT */
/*
 * waymark/site_type.h - the sites of trace points in C++. Part of waymark/scope.h; not for
 * hand-written code.
 *
 * A trace point in an inline function, template or lambda has one site in a program or library, no
 * matter in how many translation units it is compiled. Compilers cannot put such a variable into a
 * common section. So a site is a static member of a template that is instantiated with a type
 * defined for this site only, and inline assembly adds its pointer to the section. The assembly is
 * in a function of the site that is called only while the site is on: if the compiler removes that
 * code, the site is removed too, and the linker merges duplicates. clang on i386 cannot pass an
 * address to the assembler, but can use the section.
 *
 * All symbols are hidden and initialised by constants: an exported symbol would keep a plug-in from
 * being unloaded.
 */
#ifndef WAYMARK_SITE_TYPE_H
#define WAYMARK_SITE_TYPE_H

#include <waymark/site.h>

#ifdef __cplusplus
extern "C++" {

/* Types for the first field of a record. */
struct waymark_lead_number; /* of a scope or flow, or of a step's flow */
struct waymark_lead_none;

/* The arguments of all sites whose arguments have these kinds. */
template <typename Lead, unsigned char... kinds> struct waymark_site_args;

/* clang-format off */
#define WAYMARK_SITE_ARGS(lead, leads, ...) \
	template <unsigned char... kinds> struct WAYMARK_HIDDEN waymark_site_args<lead, kinds...> { \
		static const struct waymark_arg args[]; \
		enum { count = (leads) + sizeof...(kinds) }; \
	}; \
	template <unsigned char... kinds> \
	const struct waymark_arg waymark_site_args<lead, kinds...>::args[] = { \
		__VA_ARGS__ { kinds, 0, 0 }..., { 0, 0, 0 } \
	};

WAYMARK_SITE_ARGS(waymark_lead_number, 1, WAYMARK_SITE_LEAD_SCOPE)
WAYMARK_SITE_ARGS(waymark_lead_none, 0, WAYMARK_SITE_LEAD_INSTANT)

#undef WAYMARK_SITE_ARGS
/* clang-format on */

/*
 * Constraint and operand that pass a link-time address to the assembler. In position-independent
 * code for i386 and arm gcc does not treat an address as a constant, but can print its bare name.
 * On arm it does so only without section anchors, which the function switches off. riscv has no
 * `%c` and prints the bare name.
 */
#if defined(__i386__) && !defined(__clang__)
#define WAYMARK_SITE_ADDRESS "X"
#define WAYMARK_SITE_OPERAND "%p0"
#elif defined(__arm__) && !defined(__clang__)
#define WAYMARK_SITE_ADDRESS "X"
#define WAYMARK_SITE_OPERAND "%c0"
#define WAYMARK_SITE_BARE __attribute__((optimize("no-section-anchors")))
#elif defined(__aarch64__)
#define WAYMARK_SITE_ADDRESS "S"
#define WAYMARK_SITE_OPERAND "%c0"
#elif defined(__riscv)
#define WAYMARK_SITE_ADDRESS "i"
#define WAYMARK_SITE_OPERAND "%0"
#else
#define WAYMARK_SITE_ADDRESS "i"
#define WAYMARK_SITE_OPERAND "%c0"
#endif

/*
 * `?` puts the entry into the function's group, so that it is merged or removed with it. The
 * relocation's only effect is a reference, which keeps the entry when the linker removes
 * unreferenced sections.
 */
#define WAYMARK_SITE_ENTRY                                        \
	".pushsection waymark_events, \"aw?\", %%progbits\n\t"    \
	".balign " WAYMARK_SITE_WORD "\n"                         \
	".Lwaymark_entry_%=:\n\t"                                 \
	"." WAYMARK_SITE_WORD "byte " WAYMARK_SITE_OPERAND "\n\t" \
	".popsection\n\t"                                         \
	".reloc ., BFD_RELOC_NONE, .Lwaymark_entry_%="
#define WAYMARK_SITE_WORD WAYMARK_SITE_TEXT(__SIZEOF_POINTER__)
#define WAYMARK_SITE_TEXT(number) WAYMARK_SITE_TEXT_(number)
#define WAYMARK_SITE_TEXT_(number) #number

#ifndef WAYMARK_SITE_BARE
#define WAYMARK_SITE_BARE
#endif

#if defined(__i386__) && defined(__clang__)
#define WAYMARK_SITE_PLACE __attribute__((section("waymark_events"), aligned(sizeof(void *))))
#define WAYMARK_SITE_LIST(here) ((void)0)
#else
#define WAYMARK_SITE_PLACE
#define WAYMARK_SITE_LIST(here) __asm__ volatile(WAYMARK_SITE_ENTRY : : WAYMARK_SITE_ADDRESS(here))
#endif

/* The site that `Type` describes. */
template <typename Type> struct WAYMARK_HIDDEN waymark_site_of {
	static struct waymark_site here;
	static WAYMARK_SITE_PLACE waymark_site_pointer point;

	static WAYMARK_COLD WAYMARK_SITE_BARE waymark_site_pointer *reach()
	{
		WAYMARK_SITE_LIST(&here);
		return &point;
	}
};

template <typename Type>
struct waymark_site waymark_site_of<Type>::here = Type::site(&waymark_site_of<Type>::here);
template <typename Type>
waymark_site_pointer waymark_site_of<Type>::point = &waymark_site_of<Type>::here.event;

} /* extern "C++" */

/* clang-format off */

#define WAYMARK_SITE_TYPE_SCOPE waymark_lead_number
#define WAYMARK_SITE_TYPE_FLOW waymark_lead_number
#define WAYMARK_SITE_TYPE_STEP waymark_lead_number
#define WAYMARK_SITE_TYPE_INSTANT waymark_lead_none
#define WAYMARK_SITE_TYPE_COUNTER waymark_lead_none
#define WAYMARK_SITE_TYPE_PRINT waymark_lead_none

#define WAYMARK_SITE_KIND(x) , waymark_kind(x)
#define WAYMARK_SITE_DEFINE(kind, owner, label, source, ...) \
	WAYMARK_SITE_IS_LITERAL(WAYMARK_SITE_NAME(__VA_ARGS__)) \
	typedef waymark_site_args<WAYMARK_SITE_TYPE_##kind \
		WAYMARK_SITE_EACH(WAYMARK_SITE_KIND, __VA_ARGS__)> waymark_args; \
	struct waymark_type { \
		static constexpr struct waymark_site site(struct waymark_site *here) \
		{ \
			return WAYMARK_SITE_INITIAL(kind, owner, \
				label WAYMARK_SITE_NAME(__VA_ARGS__), source, *here, \
				waymark_args::args, waymark_args::count); \
		} \
	}; \
	typedef waymark_site_of<waymark_type> waymark_here;

#define WAYMARK_SITE_STATE waymark_here::here.state
#define WAYMARK_SITE_POINT (&waymark_here::point)
#define WAYMARK_SITE_REACHED waymark_here::reach()

/* clang-format on */
#endif

#endif
