#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests autotools as docs/building.md describes it: a build outside of the sources, a build from
# the tarball, and generated files that are made again when declarations change: autotools.sh ROOT
# BUILD
. "$(dirname "$0")/common.sh"

mkdir project project/cache
cd project
block autoconf >configure.ac
block automake >Makefile.am
block 'c main.c' >main.c
echo 'cache_flush(unsigned int blocks) "%u dirty blocks"' >cache/trace-events
quietly autoreconf --install
mkdir by
cd by
quietly ../configure
quietly make -j4
records ./program 'cache_flush 7 dirty blocks'
sleep 1.1 # make looks at seconds
echo 'cache_flush(unsigned int blocks) "%u blocks"' >../cache/trace-events
quietly make -j4
records ./program 'cache_flush 7 blocks'
quietly make distcheck DISTCHECK_CONFIGURE_FLAGS=
[ ! -e ../trace-cache.h ] || fail "something was generated among the sources"
quietly make clean
[ ! -e trace-cache.c ] || fail "make clean left trace-cache.c"
