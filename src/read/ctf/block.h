/* SPDX-License-Identifier: MIT */
/*
 * The blocks of CTF metadata that a trace has once: each function reads
 * `{ ... };` from behind the block's first word. Private to src/read/ctf.
 */
#ifndef READ_CTF_BLOCK_H
#define READ_CTF_BLOCK_H

#include "read/ctf/metadata.h"
#include "read/ctf/type.h"

bool ctf_read_trace(struct ctf_parser *p, struct ctf_metadata *md);
bool ctf_read_env(struct ctf_parser *p, struct ctf_metadata *md);
bool ctf_read_clock(struct ctf_parser *p, struct ctf_metadata *md);
bool ctf_read_variant(struct ctf_parser *p, struct ctf_metadata *md);
bool ctf_read_stream(struct ctf_parser *p, struct ctf_metadata *md);

#endif
