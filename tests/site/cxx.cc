/* SPDX-License-Identifier: MIT */
/*
 * Trace points of C++: prints which are registered and how often, then fires them. With a plug-in
 * as argument, also while it is loaded, and once more after that.
 */
#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <map>
#include <string>

#include <waymark/control.h>

#include "cxx.h"

extern "C" void other();

namespace
{

enum plain { FIRST, SECOND };
enum class scoped : unsigned char { ONLY = 7 };
enum class negative : long long { ONLY = -1 };

void list(const char *when)
{
	struct waymark_event_list events;
	std::map<std::string, int> counts;

	waymark_list_events(NULL, &events, NULL);
	for (size_t i = 0; i < events.count; i++) {
		counts[events.events[i].name]++;
	}
	waymark_free_events(&events);
	printf("%s\n", when);
	for (const auto &c : counts) {
		printf("\t%d %s\n", c.second, c.first.c_str());
	}
}

void run_types()
{
	device object(1), *const pointer = &object;
	const volatile short number = -3;
	static const char text[] = "array";
	char letters[] = "letters";
	int numbers[] = { 1, 2 };
	const auto &reference = number;
	bool is_null = pointer == nullptr;

	WAYMARK_INSTANT(Net, "integers", true, 'c', static_cast<signed char>(-1),
		static_cast<unsigned char>(255), number, reference, 1u, -1L, 1ul, -1LL, 1ull,
		SECOND, scoped::ONLY, negative::ONLY, errno, L'x');
	WAYMARK_INSTANT(Net, "others", 0.5f, 1.5, 2.5L, text, letters, "literal", nullptr, is_null,
		static_cast<const char *>(nullptr), waymark_debug(3));
	WAYMARK_INSTANT(Net, "wide", static_cast<waymark_i128>(-1), static_cast<waymark_u128>(1));
	WAYMARK_INSTANT(Out, "addresses", numbers, &numbers, pointer, run_types, printf,
		&device::name, object.id());
}

template <typename... T> void run_pack(T... values)
{
	WAYMARK_INSTANT(Net, "pack", sizeof...(values));
}

void run_forms()
{
	struct waymark_scope flow = WAYMARK_FLOW(Net, "flow", 1);

	WAYMARK_FLOW_STEP(Net, &flow, "step", 2);
	waymark_scope_end(&flow);
	std::atomic<int> in_flight(5);

	WAYMARK_COUNTER(Net, "in flight", in_flight); /* a type that cannot be copied */
	WAYMARK_PRINT("printed %d", 1);
	WAYMARK_PRINT_IN(Net, "printed %s", "in");
	run_pack(1, 2.0, "three");
	for (int i = 0; i < 2; i++)
		WAYMARK_INSTANT(Net, "loop", i);
	[&] { WAYMARK_SCOPE(Net, "captures", flow.line); }();
}

void run_exceptions()
{
	device d(9);

	d.throws(false);
#ifdef __cpp_exceptions
	try {
		WAYMARK_SCOPE(Net, "outer");
		d.throws(true);
	} catch (int) {
		WAYMARK_INSTANT(Net, "caught");
	}
#endif
}

/* Dynamic initialisation runs after the events are registered. */
__attribute__((constructor)) void early()
{
	WAYMARK_INSTANT(Net, "before main");
}

int run_plugin(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW);

	if (!plugin) {
		printf("%s\n", dlerror());
		return 1;
	}
	list("with the plug-in");
	reinterpret_cast<void (*)()>(dlsym(plugin, "plugin"))();
	dlclose(plugin);
	list("without it");
	return dlopen(path, RTLD_NOW | RTLD_NOLOAD) != nullptr;
}

} // namespace

int main(int argc, char **argv)
{
	list("at the beginning");
	run_header(1);
	other();
	run_types();
	run_forms();
	run_exceptions();
	for (int i = 1; i < argc; i++) {
		if (run_plugin(argv[i])) {
			return 1;
		}
	}
	return 0;
}
