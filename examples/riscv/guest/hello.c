/* SPDX-License-Identifier: MIT */
/* Prints hello on the console: the first program to run. */
#include "runtime.h"

int main(void)
{
	print("Hello from hart ");
	print_number(csr_read(mhartid));
	print("\n");
	return 0;
}
