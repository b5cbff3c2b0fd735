# SPDX-License-Identifier: MIT
# The front door. What is built stands in the meson.build files, how in tools/.

BUILD ?= build
PREFIX ?= /usr/local

all: deps
	@tools/build $(BUILD)

demo: all
	@tools/demo $(BUILD)

demo-riscv: all
	@tools/demo-riscv $(BUILD)

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

# By the environment: a name may have blanks.
install uninstall: export PREFIX := $(PREFIX)
install:
	@tools/install $(BUILD)

uninstall:
	@tools/uninstall

deps:
	@tools/deps

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-bench $(BUILD)-deb

.PHONY: all demo demo-riscv check check-long check-sanitize deb check-deb bench long-runs install uninstall deps clean
