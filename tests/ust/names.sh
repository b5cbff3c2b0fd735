#!/bin/sh
# SPDX-License-Identifier: MIT
# Long names, names that LTTng-UST would give to two fields, and names of its functions: the
# generated code compiles, and no tracepoint has two fields of one name.
. "$(dirname "$0")/lib.sh"
needs_ust

long=$(printf '%090d' 0 | tr 0 A)
group=$(printf '%040d' 0 | tr 0 g)
cat >events.toml <<END
[[events]]
name = "wide"
enabled = true
args = "id: u128, id_low: u64, id_high_: u8, id_: u8"
message = "{} {} {} {}"

[[events]]
name = "counted"
enabled = true
args = "t: str, _t_length: u8, t_length: u16"
message = "{} {} {}"

[[events]]
name = "shout"
enabled = true
args = "$long: i32"
message = "{}"

[[events]]
name = "called"
enabled = true
args = "strlen: i32, memcpy: str, abort: u64, abort_: &[u8]"
message = "{} {} {} {:?}"
END
cat >trace-events <<'END'
part(int strlen, const char *memcpy, void *abort) "%.*s %p"
END
mkdir made
mkdir called
generate ctf,ust called trace-events called
generate ctf,ust "$group" events.toml made
for file in made/*.c called/*.c; do
	gcc -std=gnu11 -Wall -Wextra -Werror -I "${file%/*}" -I "$include" -c -o /dev/null "$file" ||
		fail "$file does not compile"
done
# As readers see them: a 128-bit number is two fields, a text has a field for its length.
sed -n 's/.*field_[a-z_]*(\(.*\)/\1/p' made/trace-ust-*.h >fields
for field in 'uint64_t, id___low,' 'uint64_t, id___high,' 'uint64_t, id_low,' 'char, t_,' \
	'uint8_t, _t_length,'; do
	grep -qF "$field" fields || fail "no '$field' among $(cat fields)"
done
finish
