/* SPDX-License-Identifier: MIT */
/*
 * SHA-256 (FIPS 180-4) of the console's input: the number of its bytes, a newline, the bytes. Each
 * hart hashes its share of them, and hart 0 prints a digest for each share. Harts wake each other
 * by software interrupts. If they do not, a timer interrupt ends the machine.
 */
#include "runtime.h"

#define INPUT_BYTES (4 << 20) /* at most */
#define TICK 10000 /* timer ticks per interrupt: 1 ms */
#define TICKS 20000 /* interrupts, at most */
#define SOFTWARE(hart) REGISTER32(CLINT_BASE + CLINT_SOFTWARE + 4 * (hart))
#define COMPARE(hart) REGISTER64(CLINT_BASE + CLINT_COMPARE + 8 * (hart))
#define TIME REGISTER64(CLINT_BASE + CLINT_TIME)

static uint8_t input[INPUT_BYTES];
static uint64_t input_bytes;
static uint32_t digests[HARTS][8];
static unsigned int harts;
static volatile uint32_t absent;
static volatile uint32_t woken[HARTS], done[HARTS];

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

/* s[0] to s[7] are called a to h in the standard. */
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

static void hash_block(uint32_t state[8], const uint8_t *block)
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

/* The last whole block is followed by the rest, a one bit, zeros, and the length in bits. */
static void hash(uint32_t state[8], const uint8_t *at, uint64_t bytes)
{
	static const uint32_t initial[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	uint8_t last[128] = { 0 };
	uint64_t left = bytes, bits = bytes * 8;

	memcpy(state, initial, sizeof(initial));
	for (; left >= 64; left -= 64, at += 64) {
		hash_block(state, at);
	}
	unsigned int used = left + 9 <= 64 ? 64 : 128;

	memcpy(last, at, left);
	last[left] = 0x80;
	for (unsigned int i = 1; i <= 8; i++, bits >>= 8) {
		last[used - i] = bits;
	}
	hash_block(state, last);
	if (used == 128) {
		hash_block(state, last + 64);
	}
}

/* The last hart's share also has the remainder of the division. */
static void hash_share(unsigned int hart)
{
	uint64_t share = input_bytes / harts;
	uint64_t from = hart * share;

	hash(digests[hart], input + from, hart == harts - 1 ? input_bytes - from : share);
	fence();
	done[hart] = 1;
}

uint64_t trap_handler(uint64_t cause, uint64_t pc, uint64_t value)
{
	static unsigned int ticks;
	uint64_t hart = csr_read(mhartid);

	(void)value;
	switch (cause) {
	case CAUSE_INTERRUPT | INTERRUPT_SOFTWARE:
		SOFTWARE(hart) = 0;
		woken[hart] = 1;
		return pc;
	case CAUSE_INTERRUPT | INTERRUPT_TIMER:
		COMPARE(hart) = TIME + TICK;
		if (++ticks == TICKS) {
			machine_exit(3);
		}
		return pc;
	case CAUSE_LOAD_FAULT: /* caused by count_harts() */
		absent = 1;
		return pc + 4;
	default:
		machine_exit(2);
	}
}

/* Interrupts are enabled only here, so none is missed between the test and the sleep. */
static void sleep_until(const volatile uint32_t *flag)
{
	csr_clear(mstatus, MSTATUS_MIE);
	while (!*flag) {
		__asm__ volatile("wfi" ::: "memory");
		csr_set(mstatus, MSTATUS_MIE);
		csr_clear(mstatus, MSTATUS_MIE);
	}
	fence();
}

/* A read of the first missing hart's register traps. */
static unsigned int count_harts(void)
{
	unsigned int count = 0;

	while (!absent) {
		(void)SOFTWARE(++count);
	}
	return count;
}

static void read_input(void)
{
	for (uint8_t byte; (byte = read_byte()) != '\n';) {
		input_bytes = 10 * input_bytes + byte - '0';
	}
	if (input_bytes > INPUT_BYTES) {
		print("too much input\n");
		machine_exit(1);
	}
	for (uint64_t i = 0; i < input_bytes; i++) {
		input[i] = read_byte();
	}
}

void hart_main(unsigned int hart)
{
	csr_set(mie, 1 << INTERRUPT_SOFTWARE);
	sleep_until(&woken[hart]);
	hash_share(hart);
	SOFTWARE(0) = 1;
}

int main(void)
{
	harts = count_harts();
	read_input();
	fence();
	for (unsigned int hart = 1; hart < harts; hart++) {
		SOFTWARE(hart) = 1;
	}
	COMPARE(0) = TIME + TICK;
	csr_set(mie, 1 << INTERRUPT_SOFTWARE | 1 << INTERRUPT_TIMER);
	csr_set(mstatus, MSTATUS_MIE);
	hash_share(0);
	for (unsigned int hart = 0; hart < harts; hart++) {
		sleep_until(&done[hart]);
		for (unsigned int i = 0; i < 8; i++) {
			print_hex(digests[hart][i], 8);
		}
		print("\n");
	}
	return 0;
}
