# SPDX-License-Identifier: MIT
# For tests of the examples in docs/building.md; the sourcing script defines $root and fail().

# block TAG [HEADING]: prints the first fenced block of docs/building.md with that tag, or below a
# heading
block() {
	awk -v tag="\`\`\`$1" -v heading="## ${2-}" '
		$0 == heading || heading == "## " { below = 1 }
		/^```/ { if (inside) { exit } inside = below && $0 == tag; next }
		inside' "$root/docs/building.md" | grep . || fail "building.md has no block $1 ${2-}"
}
