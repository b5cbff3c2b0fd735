/* SPDX-License-Identifier: MIT */
/* Must not be compiled: adopt replaces it. */
#error "trace/control.h of the tree is included, not that of Waymark"
