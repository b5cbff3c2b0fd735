/* SPDX-License-Identifier: MIT */
/*
 * waymark/names.h - removes macros that compilers predefine in GNU mode. An event, a group or a
 * provider may have the name of such a macro, which would replace it inside the macros of sys/sdt.h
 * and LTTng-UST. For generated code only.
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
