/* SPDX-License-Identifier: MIT */
/*
 * A program without events that loads a plug-in, fires its events and unloads it:
 * unloader PLUGIN.
 */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *plugin = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void (*run)(int);

	if (!plugin) {
		fprintf(stderr, "no plug-in\n");
		return 1;
	}
	*(void **)(void *)&run = dlsym(plugin, "plugin_run");
	run(1);
	return dlclose(plugin);
}
