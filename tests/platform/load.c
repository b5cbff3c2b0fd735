/* SPDX-License-Identifier: MIT */
/* load LIBRARY WHAT: loads program.c as a library, runs and unloads it. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void *symbol = library ? dlsym(library, "main") : NULL;
	int (*run)(int, char **);
	int status;

	if (!symbol) {
		fprintf(stderr, "load: %s\n", argc == 3 ? dlerror() : "usage: load LIBRARY WHAT");
		return 2;
	}
	memcpy(&run, &symbol, sizeof(run));
	status = run(argc - 1, argv + 1);
	return dlclose(library) ? 2 : status;
}
