# SPDX-License-Identifier: MIT
# The entry point. The meson.build files say what is built; the scripts in tools/ say how.

BUILD ?= build
PREFIX ?= /usr/local

all: deps
	@tools/build $(BUILD)

demo: all
	@tools/demo $(BUILD)

demo-riscv: all
	@tools/demo-riscv $(BUILD)

demo-fleet: all
	@tools/demo-fleet $(BUILD)

check: all
	@tools/run-tests $(BUILD) --no-suite long

check-long: all
	@tools/run-tests $(BUILD) --suite long

check-sanitize: deps
	@tools/check-sanitize $(BUILD)

deb:
	@tools/deb $(BUILD)-deb

check-deb:
	@tools/check-chroot deb

bench: deps
	@tools/bench $(BUILD)-bench

# RUNS: some of kills, fuzz, threads, large; and the options of tools/long-runs.
long-runs: all
	@tools/long-runs $(BUILD) $(RUNS)

# Passed by the environment, because a name may contain blanks.
install uninstall: export PREFIX := $(PREFIX)
install:
	@tools/install $(BUILD)

uninstall:
	@tools/uninstall

deps:
	@tools/deps

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-bench $(BUILD)-deb

.PHONY: all demo demo-riscv demo-fleet check check-long check-sanitize deb check-deb bench long-runs install uninstall deps clean
