/* SPDX-License-Identifier: MIT */
/*
 * How an argument reaches a helper of a host that has QEMU's DEF_HELPER interface:
 * its functions take words of a few types, and what is known at translation
 * becomes a temporary that holds a constant.
 */
#ifndef EMIT_TCG_TCG_HELPER_H
#define EMIT_TCG_TCG_HELPER_H

#include "emit/tcg/tcg.h"

struct tcg_word {
	const char *name; /* in DEF_HELPER_FLAGS_n() */
	const char *type; /* that the helper takes */
	const char *constant_cast; /* to what the maker of a constant takes */
};

/* Of an argument at execution; for a CPU that of the `env` it belongs to. */
const struct tcg_word *tcg_word(const struct event *exec, size_t i);

/* The types of functions that translate. */
extern const struct tcg_types tcg_host_types;

#endif
