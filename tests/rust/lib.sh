# SPDX-License-Identifier: MIT
# Shared by the scripts of this folder, in addition to tests/tracetool/lib.sh: finds the
# installed Rust compilers, Debian's first.
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
