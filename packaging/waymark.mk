# SPDX-License-Identifier: MIT
# Make rules for programs that are traced with Waymark. In a Makefile:
#
#	include $(shell pkg-config --variable=makerules waymark)
#	$(eval $(call waymark_group,cache,cache/trace-events,build))
#
# makes build/trace-cache.h and build/trace-cache.c from cache/trace-events, for
# the backends of WAYMARK_BACKENDS, and again when either or tracetool changes. With the backend
# ust there are build/trace-ust-cache.h and build/trace-ust-cache.c too. A program with events
# of translated code depends on build/trace-tcg-cache.h. The Makefile
# compiles and links the files like its own; `pkg-config --cflags --libs waymark`
# has the flags. The default goal stays the Makefile's.
#
#	WAYMARK_BACKENDS	the backends, with commas between them; `log` where none is named
#	WAYMARK_SCOPES		those of waymark/scope.h, which CPPFLAGS get; what depends on
#				waymark.scopes of any folder is made again when they change
#	WAYMARK_PROVIDER	of probes and tracepoints: an identifier in place of the group's
#				name; WAYMARK_PROVIDER_GROUP for the group GROUP alone
#	WAYMARK_TRACETOOL	where cross building: this machine's tracetool, not the target's
#	WAYMARK_VCPU_TYPE	the struct of a CPU in vcpu events, where it is not CPUState

# QEMU's configure has the same default.
WAYMARK_BACKENDS ?= log
ifndef WAYMARK_TRACETOOL
WAYMARK_TRACETOOL := $(shell $(or $(PKG_CONFIG),pkg-config) --variable=tracetool waymark)
endif

waymark_comma := ,
waymark_blank := $(subst ,, )
ifdef WAYMARK_SCOPES
ifneq ($(word 2,$(WAYMARK_SCOPES)),)
$(error WAYMARK_SCOPES: write commas between backends, and no blanks: $(subst $(waymark_blank),$(waymark_comma),$(strip $(subst $(waymark_comma),$(waymark_blank),$(WAYMARK_SCOPES)))))
endif
CPPFLAGS += -DWAYMARK_SCOPES='$(WAYMARK_SCOPES)'
endif

waymark_provider = $(or $(WAYMARK_PROVIDER_$(1)),$(WAYMARK_PROVIDER))
waymark_options = --backends='$(WAYMARK_BACKENDS)'$(patsubst %, --provider='%',$(call waymark_provider,$(1)))$(if $(WAYMARK_VCPU_TYPE), --vcpu-type='$(WAYMARK_VCPU_TYPE)') --group=$(1)
waymark_chosen = $(WAYMARK_BACKENDS)$(patsubst %, --provider=%,$(call waymark_provider,$(1)))$(if $(WAYMARK_VCPU_TYPE), --vcpu-type=$(WAYMARK_VCPU_TYPE))

# Dependencies of generated files: declarations, the files in declared directories, and tracetool
# unless its name has a blank, which make cannot handle. A directory is written with a dot, because
# make would take `trace` for a program that it can make of trace.c.
waymark_inputs = $(foreach input,$(1),$(or $(wildcard $(input)/.),$(input))) $(wildcard $(addsuffix /*.toml,$(1))) $(if $(word 2,$(WAYMARK_TRACETOOL)),,$(wildcard $(WAYMARK_TRACETOOL)))

%waymark.scopes: waymark_always
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>&1)" = '$(WAYMARK_SCOPES)' ] || echo '$(WAYMARK_SCOPES)' >$@

.PHONY: waymark_always

# waymark_group: GROUP, its declarations, the folder of the generated files. The .backends file
# holds the backends of the generated files, and the provider and the struct of a CPU where given.
# It is checked each time, but written only when they differ, so that nothing is made again
# needlessly.
define waymark_group
waymark_goal := $$(.DEFAULT_GOAL)

$(3)/trace-$(1).backends: waymark_always
	@mkdir -p $$(@D)
	@[ "$$$$(cat $$@ 2>&1)" = '$$(call waymark_chosen,$(1))' ] || echo '$$(call waymark_chosen,$(1))' >$$@

$(3)/trace-$(1).h: $(call waymark_inputs,$(2)) $(3)/trace-$(1).backends
	$$(WAYMARK_TRACETOOL) --always --format=h $$(call waymark_options,$(1)) $(2) $$@

$(3)/trace-$(1).c: $(call waymark_inputs,$(2)) $(3)/trace-$(1).backends
	$$(WAYMARK_TRACETOOL) --always --format=c $$(call waymark_options,$(1)) $(2) $$@

$(3)/trace-tcg-$(1).h: $(call waymark_inputs,$(2)) $(3)/trace-$(1).backends
	$$(WAYMARK_TRACETOOL) --always --format=translate-h $$(call waymark_options,$(1)) $(2) $$@

# The generated source includes this header for the backend ust.
$(if $(findstring $(waymark_comma)ust$(waymark_comma),$(waymark_comma)$(WAYMARK_BACKENDS)$(waymark_comma)),\
	$(3)/trace-$(1).c: $(3)/trace-ust-$(1).h)

$(3)/trace-ust-$(1).h $(3)/trace-ust-$(1).c: $(3)/trace-ust-$(1).%: $(call waymark_inputs,$(2)) $(3)/trace-$(1).backends
	$$(WAYMARK_TRACETOOL) --always --format=ust-events-$$* $$(call waymark_options,$(1)) $(2) $$@

.PHONY: waymark_always
.DEFAULT_GOAL := $$(waymark_goal)
endef
