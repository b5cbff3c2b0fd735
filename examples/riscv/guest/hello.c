/* SPDX-License-Identifier: MIT */
/* Says hello on the console: what to run first. */
#include "runtime.h"

int main(void)
{
	print("Hello from hart ");
	print_number(csr_read(mhartid));
	print("\n");
	return 0;
}
