/* SPDX-License-Identifier: MIT */
/* Must not be compiled: adopt replaces it. */
#error "trace/simple.h of the tree is included, not that of Waymark"
