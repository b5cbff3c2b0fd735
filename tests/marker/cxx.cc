/* SPDX-License-Identifier: MIT */
/* Trace points of C++: templates, lambdas, methods, expressions with commas in them. */
#include <string>
#include <utility>

#include <waymark/scope.h>

#define CATEGORIES(C) C(VirtioFs, true, "the guest's \"file system\"")
WAYMARK_CATEGORIES(CATEGORIES);

namespace
{

struct Device {
	std::string tag;

	void release(unsigned long inode) const
	{
		WAYMARK_SCOPE(VirtioFs, "release (::)", tag.c_str(), inode, inode > 1);
	}
};

template <typename T> void show(T value)
{
	WAYMARK_SCOPE(VirtioFs, "show<T>", value, (std::pair<int, T>(1, value).first));
}

} // namespace

int main()
{
	const char *null = nullptr;
	auto counted = [](int n) { WAYMARK_COUNTER(VirtioFs, "\"in flight\"", n); };

	Device{ "a \"b\"" }.release(42);
	show(7);
	show(0.5);
	counted(3);
	WAYMARK_INSTANT(VirtioFs, "null", null, 'x', L'\0' == 0);
	WAYMARK_PRINT("%s\n", "printed");
}
