/* SPDX-License-Identifier: MIT */
/* Headers of packets, read and checked. Private to src/read/ctf. */
#ifndef READ_CTF_PACKET_H
#define READ_CTF_PACKET_H

#include "read/ctf/stream.h"

/* The header at `bytes`, in this host's byte order. */
void ctf_packet_load(struct packet_header *h, const unsigned char *bytes, bool swap);

/* What is wrong with a header of that trace and stream; NULL: nothing. */
const char *ctf_packet_fault(
	const struct packet_header *h, const struct ctf_trace *t, uint64_t instance);

/* Whether `left` bytes begin as a packet of the trace. */
bool ctf_packet_begins(const unsigned char *bytes, size_t left, const struct ctf_trace *t);

#endif
