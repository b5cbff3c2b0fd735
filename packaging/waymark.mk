# SPDX-License-Identifier: MIT
# Make rules for programs that are traced with Waymark. In a Makefile:
#
#	include $(shell pkg-config --variable=makerules waymark)
#	$(eval $(call waymark_group,cache,cache/trace-events,build))
#
# makes build/trace-cache.h and build/trace-cache.c from cache/trace-events, for
# the backends of WAYMARK_BACKENDS. The Makefile compiles and links them as it
# does its own; `pkg-config --cflags --libs waymark` has the flags.

# Log lines are what somebody expects who has chosen nothing yet.
WAYMARK_BACKENDS ?= log
WAYMARK_TRACETOOL ?= $(shell $(or $(PKG_CONFIG),pkg-config) --variable=tracetool waymark)

# waymark_group: GROUP, its declarations, the folder of what is generated
define waymark_group
$(3)/trace-$(1).h: $(2)
	@mkdir -p $$(@D)
	$$(WAYMARK_TRACETOOL) --always --format=h --backends=$$(WAYMARK_BACKENDS) --group=$(1) $(2) $$@

$(3)/trace-$(1).c: $(2)
	@mkdir -p $$(@D)
	$$(WAYMARK_TRACETOOL) --always --format=c --backends=$$(WAYMARK_BACKENDS) --group=$(1) $(2) $$@
endef
