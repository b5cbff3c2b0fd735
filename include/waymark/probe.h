/* SPDX-License-Identifier: MIT */
/*
 * waymark/probe.h - the probes of <sys/sdt.h> with our semaphores, for a trace.c generated for the
 * backend dtrace. Not for hand-written code.
 *
 * A probe is a nop and an ELF note with its address, its arguments, and the 16-bit semaphore that a
 * tracer raises while it is attached. The semaphore is the upper half of the event's state, so that
 * the test of a call site sees tracers too.
 */
#ifndef WAYMARK_PROBE_H
#define WAYMARK_PROBE_H

#include <waymark/record.h>

#if defined(__has_include)
#if !__has_include(<sys/sdt.h>)
#error "the backend dtrace needs <sys/sdt.h>: install systemtap-sdt-dev or systemtap-sdt-devel"
#endif
#endif

/*
 * Without this, sys/sdt.h refers to a variable `<provider>_<event>_semaphore`, which does not
 * exist.
 */
#ifdef _SDT_HAS_SEMAPHORES
#undef _SDT_HAS_SEMAPHORES
#endif
#include <sys/sdt.h>

#include <waymark/names.h>

/* sys/sdt.h calls variadic macros without variable arguments. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wgnu-zero-variadic-macro-arguments"
#endif

#if !defined(_SDT_SEMAPHORE) || !defined(_SDT_ASM_1) || !defined(_SDT_ASM_ADDR) || \
	!defined(STAP_PROBE12)
#error "this <sys/sdt.h> is not SystemTap's: its probes have no semaphore that Waymark can place"
#endif

/* The address in a probe's note: waymark_half[1] of the state, on hosts of either byte order. */
#undef _SDT_SEMAPHORE
#define _SDT_SEMAPHORE(provider, event) _SDT_ASM_1(_SDT_ASM_ADDR WAYMARK_PROBE_STATE(event) + 2)
#define WAYMARK_PROBE_STATE(event) waymark_state_##event

/* Tracers read at most this much of a string: SystemTap 512 bytes, bpftrace up to 1024. */
#define WAYMARK_PROBE_STRING 4096u

/*
 * Reads a string (NULL is allowed), at most `precision` bytes unless that is negative, so that its
 * pages are present: a tracer in the kernel cannot wait for a page and would see an empty string.
 */
static inline void waymark_probe_touch_part(const char *s, int precision)
{
	uint32_t length;

	/* Hides the pointer: compilers compute a literal's length without reading it. */
	__asm__ volatile("" : "+r"(s));
	length = waymark_string_part(s, precision, WAYMARK_PROBE_STRING);
	__asm__ volatile("" : : "r"(length) : "memory");
}

static inline void waymark_probe_touch(const char *s)
{
	waymark_probe_touch_part(s, -1);
}

/* The same for text and bytes with a length. */
static inline void waymark_probe_touch_counted(const void *bytes, size_t length)
{
	const char *text = (const char *)bytes;

	if (!text || !length) {
		return;
	}
	length = length < WAYMARK_PROBE_STRING ? length : WAYMARK_PROBE_STRING;
	for (size_t i = 0; i < length; i += 512) {
		__asm__ volatile("" : : "r"(text[i]));
	}
	__asm__ volatile("" : : "r"(text[length - 1]));
}

/* Forces the value into memory, where a tracer can read it. */
static inline void waymark_probe_touch_value(const void *value)
{
	__asm__ volatile("" : : "r"(value) : "memory");
}

/* Return the bits of a float, because probes take only integers. */
static inline uint64_t waymark_probe_f32(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline uint64_t waymark_probe_f64(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

#endif
