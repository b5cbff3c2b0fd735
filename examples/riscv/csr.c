/* SPDX-License-Identifier: MIT */
/*
 * Control and status registers: a table has the number of each, where its value is, and
 * which bits the guest can read and write. Called by the interpreter.
 */
#include <stddef.h>

#include "clint.h"
#include "decode.h"
#include "hart.h"

#define ALL UINT64_MAX
#define MISA ((UINT64_C(2) << 62) | 1 << ('I' - 'A') | 1 << ('M' - 'A'))
#define AT(field) offsetof(struct hart, field)
#define NOWHERE SIZE_MAX /* no storage: `readable` is the value */

enum { CSR_TIME = 0xc01, CSR_MHARTID = 0xf14 };

struct csr {
	unsigned int number;
	size_t offset;
	uint64_t readable;
	uint64_t writable; /* writes keep the other bits */
};

static const struct csr csrs[] = {
	{ 0x300, AT(mstatus), ALL, MSTATUS_MIE | MSTATUS_MPIE },
	{ 0x301, NOWHERE, MISA, 0 }, /* misa */
	{ 0x304, AT(mie), ALL, HART_INTERRUPTS },
	{ 0x305, AT(mtvec), ALL, ~UINT64_C(3) }, /* direct mode only */
	{ 0x340, AT(mscratch), ALL, ALL }, { 0x341, AT(mepc), ALL, ~UINT64_C(3) },
	{ 0x342, AT(mcause), ALL, ALL }, { 0x343, AT(mtval), ALL, ALL },
	{ 0x344, AT(interrupts), HART_INTERRUPTS, 0 }, /* mip: the CLINT writes it */
	{ 0xb00, AT(retired), ALL, 0 }, /* mcycle: one cycle per instruction */
	{ 0xb02, AT(retired), ALL, 0 }, /* minstret */
	{ 0xc00, AT(retired), ALL, 0 }, /* cycle */
	{ CSR_TIME, NOWHERE, 0, 0 }, { 0xc02, AT(retired), ALL, 0 }, /* instret */
	{ 0xf11, NOWHERE, 0, 0 }, /* mvendorid */
	{ 0xf12, NOWHERE, 0, 0 }, /* marchid */
	{ 0xf13, NOWHERE, 0, 0 }, /* mimpid */
	{ CSR_MHARTID, NOWHERE, 0, 0 }, { 0xf15, NOWHERE, 0, 0 }, /* mconfigptr */
};

static const struct csr *find(unsigned int number)
{
	for (size_t i = 0; i < sizeof(csrs) / sizeof(csrs[0]); i++) {
		if (csrs[i].number == number) {
			return &csrs[i];
		}
	}
	return NULL;
}

static uint64_t read_csr(struct hart *hart, const struct csr *csr)
{
	switch (csr->number) {
	case CSR_TIME:
		return clint_time();
	case CSR_MHARTID:
		return hart->id;
	default:
		if (csr->offset == NOWHERE) {
			return csr->readable;
		}
		const uint64_t *at = (const uint64_t *)((const char *)hart + csr->offset);

		return __atomic_load_n(at, __ATOMIC_ACQUIRE) & csr->readable;
	}
}

void csr_execute(struct hart *hart, const struct instruction *in, enum csr_operation operation,
	uint64_t operand)
{
	const struct csr *csr = find(in->bits >> 20);
	bool writes = operation == CSR_WRITE || in->rs1 != 0;
	bool read_only = in->bits >> 30 == 3;

	if (!csr || (writes && read_only)) {
		hart_trap(hart, TRAP_ILLEGAL, in->bits);
		return;
	}
	uint64_t old = read_csr(hart, csr);

	if (writes && csr->writable) {
		uint64_t *at = (uint64_t *)((char *)hart + csr->offset);
		uint64_t value = operation == CSR_SET	  ? old | operand
				 : operation == CSR_CLEAR ? old & ~operand
							  : operand;

		*at = (*at & ~csr->writable) | (value & csr->writable);
	}
	hart->x[in->rd] = old;
	hart->pc += 4;
}
