/* SPDX-License-Identifier: MIT */
/* The first program. */
#include "runtime.h"

int main(void)
{
	print("Hello from hart ");
	print_number(csr_read(mhartid));
	print("\n");
	return 0;
}
