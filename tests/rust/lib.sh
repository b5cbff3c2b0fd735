# SPDX-License-Identifier: MIT
# What the scripts of this folder share, on top of tests/tracetool/lib.sh: the
# compilers of Rust that are here, Debian's first.
. "$root/tests/tracetool/lib.sh"

if [ "${WAYMARK_SANITIZER-}" ]; then
	echo "skipped: rustc links no program with the sanitizers of gcc"
	exit 77
fi
if ! have rustc; then
	echo "skipped: rustc is not installed"
	exit 77
fi

unset MALLOC_PERTURB_ # meson's: it slows rustc down

rust_compilers()
{
	{ [ ! -x /usr/bin/rustc ] || echo /usr/bin/rustc; command -v rustc; } | awk '!seen[$0]++'
}
