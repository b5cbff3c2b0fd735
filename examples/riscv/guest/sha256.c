/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 (FIPS 180-4) of the disk. Some requests are always under way, each
 * with its buffer; hart 0 sleeps until the disk interrupts it.
 */
#include "runtime.h"

#define DEPTH 4
#define CHUNK 4096

static struct disk_request requests[DEPTH];
static uint8_t buffers[DEPTH][CHUNK];
static uint64_t disk_bytes;

static uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
	0x1f83d9ab, 0x5be0cd19 };

static const uint32_t constants[64] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b,
	0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6,
	0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d,
	0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
	0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585,
	0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa,
	0xa4506ceb, 0xbef9a3f7, 0xc67178f2 };

static uint32_t rotate(uint32_t x, unsigned int bits)
{
	return x >> bits | x << (32 - bits);
}

static void schedule(uint32_t w[64], const uint8_t *block)
{
	for (unsigned int i = 0; i < 16; i++, block += 4) {
		w[i] = (uint32_t)block[0] << 24 | block[1] << 16 | block[2] << 8 | block[3];
	}
	for (unsigned int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

/* s[0] to s[7] are a to h of the standard. */
static void round(uint32_t s[8], uint32_t word_and_constant)
{
	uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
	uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
	uint32_t first = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + choice +
			 word_and_constant;
	uint32_t second = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;

	for (unsigned int i = 7; i > 0; i--) {
		s[i] = s[i - 1];
	}
	s[4] += first;
	s[0] = first + second;
}

static void hash_block(const uint8_t *block)
{
	uint32_t w[64];
	uint32_t s[8];

	schedule(w, block);
	memcpy(s, state, sizeof(s));
	for (unsigned int i = 0; i < 64; i++) {
		round(s, w[i] + constants[i]);
	}
	for (unsigned int i = 0; i < 8; i++) {
		state[i] += s[i];
	}
}

/* What is left at the end, a one bit, zeros, and the length in bits. */
static void hash_last(const uint8_t *left, uint64_t bytes)
{
	uint8_t blocks[128] = { 0 };
	unsigned int used = bytes + 9 <= 64 ? 64 : 128;
	uint64_t bits = disk_bytes * 8;

	memcpy(blocks, left, bytes);
	blocks[bytes] = 0x80;
	for (unsigned int i = 1; i <= 8; i++, bits >>= 8) {
		blocks[used - i] = bits;
	}
	hash_block(blocks);
	if (used == 128) {
		hash_block(blocks + 64);
	}
}

/* Hashes all whole blocks; returns where what is left begins. */
static const uint8_t *hash_whole(const uint8_t *at, uint64_t bytes)
{
	for (; bytes >= 64; bytes -= 64, at += 64) {
		hash_block(at);
	}
	return at;
}

uint64_t trap_handler(uint64_t cause, uint64_t pc, uint64_t value)
{
	(void)value;
	if (cause != (CAUSE_INTERRUPT | INTERRUPT_EXTERNAL)) {
		machine_exit(2);
	}
	REGISTER64(DISK_BASE + DISK_DONE) = 0;
	return pc;
}

/* Asks for the chunk with this number, if the disk has one. */
static void ask(uint64_t chunk)
{
	struct disk_request *request = &requests[chunk % DEPTH];
	uint64_t offset = chunk * CHUNK;

	if (offset >= disk_bytes) {
		return;
	}
	uint64_t left = disk_bytes - offset;

	request->operation = DISK_READ;
	request->sector = offset / DISK_SECTOR;
	request->sectors = ((left < CHUNK ? left : CHUNK) + DISK_SECTOR - 1) / DISK_SECTOR;
	request->buffer = (uintptr_t)buffers[chunk % DEPTH];
	disk_submit(request);
}

/* Interrupts wait while it is decided whether to sleep: one that is there ends wfi at once. */
static void wait_for(uint64_t chunk)
{
	const struct disk_request *request = &requests[chunk % DEPTH];

	csr_clear(mstatus, MSTATUS_MIE);
	while (disk_status(request) == DISK_PENDING) {
		wait_for_interrupt();
		csr_set(mstatus, MSTATUS_MIE);
		csr_clear(mstatus, MSTATUS_MIE);
	}
	csr_set(mstatus, MSTATUS_MIE);
	if (disk_status(request) != DISK_OK) {
		print("the disk cannot be read\n");
		machine_exit(1);
	}
}

static void hash_disk(void)
{
	const uint8_t *left = buffers[0];
	uint64_t chunk = 0, done = 0;

	while (disk_bytes - done >= 64) {
		uint64_t bytes = disk_bytes - done < CHUNK ? disk_bytes - done : CHUNK;

		wait_for(chunk);
		left = hash_whole(buffers[chunk % DEPTH], bytes);
		done += bytes - bytes % 64;
		if (bytes == CHUNK) {
			ask(chunk++ + DEPTH);
			left = buffers[chunk % DEPTH];
		}
	}
	if (done < disk_bytes) {
		wait_for(chunk);
	}
	hash_last(left, disk_bytes - done);
}

int main(void)
{
	disk_bytes = REGISTER64(DISK_BASE + DISK_BYTES);
	REGISTER64(DISK_BASE + DISK_INTERRUPTS) = 1;
	csr_set(mie, 1 << INTERRUPT_EXTERNAL);
	csr_set(mstatus, MSTATUS_MIE);
	for (uint64_t chunk = 0; chunk < DEPTH; chunk++) {
		ask(chunk);
	}
	hash_disk();
	for (unsigned int i = 0; i < 8; i++) {
		print_hex(state[i], 8);
	}
	print("\n");
	return 0;
}
