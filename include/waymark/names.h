/* SPDX-License-Identifier: MIT */
/*
 * waymark/names.h - takes away names that compilers define which speak GNU's C: an
 * event, a group or a provider may have them, and macros would replace them in what
 * sys/sdt.h and LTTng-UST make of it. For generated code alone.
 */
#ifndef WAYMARK_NAMES_H
#define WAYMARK_NAMES_H

#undef PPC
#undef i386
#undef linux
#undef mips
#undef sparc
#undef sun
#undef unix

#endif
