/* SPDX-License-Identifier: MIT */
/* One table says which registers there are, where their value is, and which bits hold. */
#include "hart/csr.h"

#include <stddef.h>

#include "hart/trap.h"
#include "machine/clock.h"

#define ALL UINT64_MAX
#define MISA ((UINT64_C(2) << 62) | 1 << ('I' - 'A') | 1 << ('M' - 'A') | 1 << ('A' - 'A'))
#define CSR_TIME 0xc01

struct csr {
	unsigned int number;
	size_t offset;
	uint64_t readable;
	uint64_t writable; /* the other bits stay as they are */
};

#define AT(field) offsetof(struct hart, field)

static const struct csr csrs[] = {
	{ 0x300, AT(mstatus), ALL, MSTATUS_MIE | MSTATUS_MPIE }, { 0x301, AT(misa), ALL, 0 },
	{ 0x304, AT(mie), ALL, HART_INTERRUPTS }, { 0x305, AT(mtvec), ALL, ~UINT64_C(2) },
	{ 0x340, AT(mscratch), ALL, ALL }, { 0x341, AT(mepc), ALL, ~UINT64_C(3) },
	{ 0x342, AT(mcause), ALL, ALL }, { 0x343, AT(mtval), ALL, ALL },
	{ 0x344, AT(interrupts), HART_INTERRUPTS, 0 }, /* mip: devices write it */
	{ 0xb00, AT(retired), ALL, 0 }, /* mcycle: a cycle an instruction */
	{ 0xb02, AT(retired), ALL, 0 }, /* minstret */
	{ 0xc00, AT(retired), ALL, 0 }, /* cycle */
	{ CSR_TIME, AT(zero), ALL, 0 }, { 0xc02, AT(retired), ALL, 0 }, /* instret */
	{ 0xf11, AT(zero), ALL, 0 }, /* mvendorid */
	{ 0xf12, AT(zero), ALL, 0 }, /* marchid */
	{ 0xf13, AT(zero), ALL, 0 }, /* mimpid */
	{ 0xf14, AT(mhartid), ALL, 0 }, { 0xf15, AT(zero), ALL, 0 }, /* mconfigptr */
};

void csr_reset(struct hart *hart)
{
	hart->mstatus = MSTATUS_MPP;
	hart->misa = MISA;
	hart->mhartid = hart->id;
	hart->mie = hart->mtvec = hart->mscratch = 0;
	hart->mepc = hart->mcause = hart->mtval = 0;
	hart_unmask(hart);
}

static const struct csr *find(unsigned int number)
{
	for (size_t i = 0; i < sizeof(csrs) / sizeof(csrs[0]); i++) {
		if (csrs[i].number == number) {
			return &csrs[i];
		}
	}
	return NULL;
}

static uint64_t *place(struct hart *hart, const struct csr *csr)
{
	return (uint64_t *)((char *)hart + csr->offset);
}

static uint64_t read_csr(struct hart *hart, const struct csr *csr)
{
	if (csr->number == CSR_TIME) {
		return clock_ticks();
	}
	return __atomic_load_n(place(hart, csr), __ATOMIC_ACQUIRE) & csr->readable;
}

static void write_csr(struct hart *hart, const struct csr *csr, uint64_t value)
{
	uint64_t *at = place(hart, csr);

	if (csr->writable) {
		*at = (*at & ~csr->writable) | (value & csr->writable);
	}
}

static uint64_t changed(enum csr_operation operation, uint64_t old, uint64_t operand)
{
	switch (operation) {
	case CSR_SET:
		return old | operand;
	case CSR_CLEAR:
		return old & ~operand;
	default:
		return operand;
	}
}

/* The two highest bits of a number tell who may not be written. */
static bool read_only(unsigned int number)
{
	return number >> 10 == 3;
}

void csr_execute(struct hart *hart, const struct instruction *in, enum csr_operation operation,
	uint64_t operand)
{
	const struct csr *csr = find(in->csr);
	bool writes = operation == CSR_WRITE || in->rs1 != 0;

	if (!csr || (writes && read_only(csr->number))) {
		trap(hart, TRAP_ILLEGAL, (uint32_t)in->bits);
		return;
	}
	uint64_t old = read_csr(hart, csr);

	if (writes) {
		write_csr(hart, csr, changed(operation, old, operand));
		hart_unmask(hart);
	}
	hart->x[in->rd] = old;
	hart->pc += 4;
}
