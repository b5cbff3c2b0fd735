/* SPDX-License-Identifier: MIT */
/*
 * waymark/probe.h - what a trace.c generated for the backend dtrace sees besides
 * waymark/record.h: the probes of <sys/sdt.h>, with our semaphores. Not for
 * hand-written code.
 *
 * A probe is a nop and a note that says where it is, where its arguments are, and
 * which 16-bit word a tracer raises while it watches. That word is the upper half
 * of the event's state, so that the test of a call site sees tracers too.
 */
#ifndef WAYMARK_PROBE_H
#define WAYMARK_PROBE_H

#include <waymark/record.h>

#if defined(__has_include)
#if !__has_include(<sys/sdt.h>)
#error "the backend dtrace needs <sys/sdt.h>: install systemtap-sdt-dev or systemtap-sdt-devel"
#endif
#endif

/* It names a variable `<provider>_<event>_semaphore` otherwise, which nothing defines. */
#ifdef _SDT_HAS_SEMAPHORES
#undef _SDT_HAS_SEMAPHORES
#endif
#include <sys/sdt.h>

#include <waymark/names.h>

/* Its macros leave variadic arguments out. */
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

/* Tracers take no more of a string: SystemTap 512 bytes at most, bpftrace 1024 where asked. */
#define WAYMARK_PROBE_STRING 4096u

/*
 * Reads a string, NULL included, of `precision` bytes at most unless that is negative, so that its
 * pages are present: a tracer in the kernel cannot wait for them and would find an empty string.
 */
static inline void waymark_probe_touch_part(const char *s, int precision)
{
	uint32_t length;

	/* Nothing is known of it: a literal's length would be computed without a look at it. */
	__asm__ volatile("" : "+r"(s));
	length = waymark_string_part(s, precision, WAYMARK_PROBE_STRING);
	__asm__ volatile("" : : "r"(length) : "memory");
}

static inline void waymark_probe_touch(const char *s)
{
	waymark_probe_touch_part(s, -1);
}

/* The same of text and bytes with their length. */
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

/* The value is in memory, where a tracer reads it. */
static inline void waymark_probe_touch_value(const void *value)
{
	__asm__ volatile("" : : "r"(value) : "memory");
}

/* The bits of floats: probes have no others. */
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
