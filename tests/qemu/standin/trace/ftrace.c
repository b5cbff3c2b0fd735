/* SPDX-License-Identifier: MIT */
/* Must not be compiled: adopt replaces it. */
#error "trace/ftrace.c of the tree is compiled, not that of Waymark"
