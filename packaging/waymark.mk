# SPDX-License-Identifier: MIT
# Make rules for programs that are traced with Waymark. In a Makefile:
#
#	include $(shell pkg-config --variable=makerules waymark)
#	$(eval $(call waymark_group,cache,cache/trace-events,build))
#
# This generates build/trace-cache.h and build/trace-cache.c from cache/trace-events for the
# backends of WAYMARK_BACKENDS, and again when the declarations, the backends or tracetool change.
# With the backend ust it also generates build/trace-ust-cache.h and build/trace-ust-cache.c. For
# events of translated code, let a source depend on build/trace-tcg-cache.h. The Makefile compiles
# and links these files as its own; `pkg-config --cflags --libs waymark` prints the flags. The
# Makefile's default goal does not change.
#
#	WAYMARK_BACKENDS	the backends, separated by commas; the default is `log`
#	WAYMARK_SCOPES		the backends of waymark/scope.h, added to CPPFLAGS; targets that depend
#				on waymark.scopes in any folder are rebuilt when they change
#	WAYMARK_PROVIDER	the provider of probes and tracepoints, an identifier; the default is the
#				group's name; WAYMARK_PROVIDER_GROUP is for the group GROUP alone
#	WAYMARK_TRACETOOL	for cross builds: this machine's tracetool, not the target's
#	WAYMARK_VCPU_TYPE	the struct of a CPU in vcpu events; the default is CPUState

# The default of QEMU's configure.
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

# The prerequisites of generated files: declarations, the files in directories, and tracetool unless
# its name has a blank, which make does not support. A directory gets a dot after its name: otherwise
# make would try to build a program `trace` from trace.c.
waymark_inputs = $(foreach input,$(1),$(or $(wildcard $(input)/.),$(input))) $(wildcard $(addsuffix /*.toml,$(1))) $(if $(word 2,$(WAYMARK_TRACETOOL)),,$(wildcard $(WAYMARK_TRACETOOL)))

%waymark.scopes: waymark_always
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>&1)" = '$(WAYMARK_SCOPES)' ] || echo '$(WAYMARK_SCOPES)' >$@

.PHONY: waymark_always

# waymark_group: GROUP, its declarations, the folder of generated files
# The .backends file has the backends, the provider and the struct of a CPU that the files were
# generated for. It is checked each time, and written only when these change, so that nothing is
# rebuilt needlessly.
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

# The source includes this header if the backend ust is chosen.
$(if $(findstring $(waymark_comma)ust$(waymark_comma),$(waymark_comma)$(WAYMARK_BACKENDS)$(waymark_comma)),\
	$(3)/trace-$(1).c: $(3)/trace-ust-$(1).h)

$(3)/trace-ust-$(1).h $(3)/trace-ust-$(1).c: $(3)/trace-ust-$(1).%: $(call waymark_inputs,$(2)) $(3)/trace-$(1).backends
	$$(WAYMARK_TRACETOOL) --always --format=ust-events-$$* $$(call waymark_options,$(1)) $(2) $$@

.PHONY: waymark_always
.DEFAULT_GOAL := $$(waymark_goal)
endef
