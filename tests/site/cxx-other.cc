/* SPDX-License-Identifier: MIT */
/* The second file of cxx.cc's program; with -DPLUGIN, the plug-in that the program loads. */
#include "cxx.h"

#ifdef PLUGIN
#define other plugin
#endif

extern "C" void other();
extern "C" void other()
{
	run_header(2);
	/* clang-format off */
	WAYMARK_SCOPE(Net, "other"); WAYMARK_SCOPE(Net, "of one line");
	/* clang-format on */
	auto lambda = [](int x) { WAYMARK_INSTANT(Net, "lambda", x); };
	lambda(1);
	lambda(2);
}

#ifndef PLUGIN
void device::throws(bool really) const
{
	WAYMARK_SCOPE(Net, "throws", really);
#ifdef __cpp_exceptions
	if (really) {
		throw m_id;
	}
#endif
}
#else
void device::throws(bool) const
{
}
#endif
