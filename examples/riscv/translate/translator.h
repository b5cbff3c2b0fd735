/* SPDX-License-Identifier: MIT */
/*
 * Blocks as code of the host: x86-64. A hart has a translator of its own, which
 * only its thread uses. Blocks jump to each other, without anybody between them,
 * until an interrupt is pending, a hart's own flags among them.
 */
#ifndef RISCV_TRANSLATE_TRANSLATOR_H
#define RISCV_TRANSLATE_TRANSLATOR_H

#include <stdbool.h>
#include <stdio.h>

struct block;
struct code;
struct hart;

/* Returns NULL with errno; ENOTSUP where the host is another one. */
struct translator *translator_create(struct hart *hart);
void translator_destroy(struct translator *translator);

/* Writes each translation to this file, as a line of hexadecimal digits; NULL: to none. */
void translator_dump(struct translator *translator, FILE *file);

/* False: all translations have to be forgotten before there is another one. */
bool translator_has_room(const struct translator *translator);
void translator_forget(struct translator *translator);

/* Makes a block's code. There is room for it. */
void translator_add(struct translator *translator, struct block *block);

/* Where the translation that is being made goes. */
struct code *translator_code(struct translator *translator);

/* Executes that block, which hart->pc is at, and those that follow, up to hart->pc. */
void translator_run(struct translator *translator, struct hart *hart, const struct block *block);

#endif
