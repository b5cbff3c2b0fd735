/* SPDX-License-Identifier: MIT */
/* Must not be compiled: adopt replaces it. */
#error "stubs/trace-control.c of the tree is compiled, not that of Waymark"
