#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/deps names missing packages and installs them only as root: deps.sh ROOT
set -eu
root=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin"

# Stand-ins: a system without mandoc, and an apt-get that only writes down its arguments.
cat >"$tmp/bin/dpkg-query" <<'END'
#!/bin/sh
for last; do :; done
if [ "$last" != mandoc ] || [ -e "$NOTES" ]; then
	printf installed
fi
END
printf '#!/bin/sh\necho "$USER_ID"\n' >"$tmp/bin/id"
printf '#!/bin/sh\necho "$@" >>"$NOTES"\n' >"$tmp/bin/apt-get"
chmod +x "$tmp"/bin/*
export PATH="$tmp/bin:$PATH" NOTES="$tmp/notes" USER_ID=1000

if "$root/tools/deps" >"$tmp/out" 2>&1; then
	echo "an ordinary user's missing package went unnoticed"
	exit 1
fi
grep -q 'missing Debian packages: mandoc$' "$tmp/out"
[ ! -e "$NOTES" ]

USER_ID=0 "$root/tools/deps" >"$tmp/out"
grep -q 'installed: mandoc$' "$tmp/out"
grep -q -- '-y .*install mandoc' "$NOTES"

# Now all packages are installed, and an ordinary user succeeds.
"$root/tools/deps" >"$tmp/out"
[ ! -s "$tmp/out" ]

# An argument names another list.
rm "$NOTES"
sed -i 's/mandoc/babeltrace2/' "$tmp/bin/dpkg-query"
USER_ID=0 "$root/tools/deps" packages.bench >"$tmp/out"
grep -q 'installed: babeltrace2$' "$tmp/out"
