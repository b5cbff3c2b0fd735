# SPDX-License-Identifier: MIT
# waymark_generate() of CMake, which WaymarkConfig.cmake includes.
#
#	waymark_generate(TARGET
#		FILES declarations, or directories of TOML files...
#		[BACKENDS ctf simple...]	also separated by commas; the default is the variable
#						WAYMARK_BACKENDS, or log
#		[GROUP name]			the group, as in trace-NAME.h; default: the target's name
#		[PROVIDER name]			for probes and tracepoints; default: the group's name
#		[VCPU_TYPE "struct cpu"]	the CPU in vcpu events; default: CPUState
#		[TCG]				also generate trace-tcg-NAME.h, for a binary translator
#		[STATIC])			link Waymark::waymark-static, not Waymark::waymark
#
# This generates trace-GROUP.h and trace-GROUP.c for the target, again when the declarations, the
# backends or tracetool change, and links the library. Call it in the directory that made the
# target, once for each group. Each target has its own generated files, so two targets may
# have the same group. Any mistake in the call is an error of CMake.

# Reports any error with the caller's target and a remedy.
macro(_waymark_error text)
  message(FATAL_ERROR "waymark_generate(${target}): ${text}")
endmacro()

# Checks that the target is compiled, and belongs to this directory, whose rules its files get.
function(_waymark_check_target target)
  if(NOT TARGET "${target}")
    _waymark_error("there is no such target; call it after add_executable() or add_library()")
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    _waymark_error("is an alias of ${aliased}; call it with that name")
  endif()
  get_target_property(imported ${target} IMPORTED)
  get_target_property(type ${target} TYPE)
  if(imported OR NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
    _waymark_error("nothing is compiled for this target, so it can have no events")
  endif()
  get_target_property(directory ${target} SOURCE_DIR)
  if(NOT directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    _waymark_error("call it in the directory of the target, ${directory}")
  endif()
endfunction()

# Sets `inputs` to absolute paths, and `files` to their further dependencies. A file that another
# rule makes need not exist yet. With ninja, tracetool reports a directory's files; make's
# dependency files would keep removed files, so there CMake checks the directory at each build.
function(_waymark_read_files target)
  set(paths "")
  set(found "")
  foreach(file IN LISTS ARGN)
    get_filename_component(path "${file}" ABSOLUTE)
    get_source_file_property(generated "${path}" GENERATED)
    if(NOT EXISTS "${path}" AND NOT generated)
      _waymark_error("there is no ${path}; if a rule makes it, put the rule before this call")
    endif()
    list(APPEND paths "${path}")
    if(IS_DIRECTORY "${path}" AND NOT CMAKE_GENERATOR MATCHES Ninja)
      file(GLOB files CONFIGURE_DEPENDS "${path}/*.toml")
      list(APPEND found ${files})
    endif()
  endforeach()
  set(inputs "${paths}" PARENT_SCOPE)
  set(files "${found}" PARENT_SCOPE)
endfunction()

# Sets `backends`, and checks that tracetool has each of them.
function(_waymark_read_backends target)
  string(REPLACE "," ";" names "${ARGN}")
  foreach(backend IN LISTS names)
    execute_process(COMMAND "${WAYMARK_TRACETOOL}" --check-backends "--backends=${backend}"
      RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
    if(NOT result EQUAL 0)
      execute_process(COMMAND "${WAYMARK_TRACETOOL}" --list-backends OUTPUT_VARIABLE known
        OUTPUT_STRIP_TRAILING_WHITESPACE)
      _waymark_error("there is no backend '${backend}'; there are ${known}")
    endif()
  endforeach()
  set(backends "${names}" PARENT_SCOPE)
endfunction()

# Sets `language`, for which the sources are generated and the headers are searched.
function(_waymark_read_language target)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(C IN_LIST languages)
    set(language C PARENT_SCOPE)
  elseif(CXX IN_LIST languages)
    set(language CXX PARENT_SCOPE)
  else()
    _waymark_error("the project has neither C nor CXX")
  endif()
endfunction()

function(_waymark_need_header target backend header package)
  string(MAKE_C_IDENTIFIER "WAYMARK_HAVE_${header}" variable)
  if(language STREQUAL CXX)
    include(CheckIncludeFileCXX)
    check_include_file_cxx("${header}" ${variable})
  else()
    include(CheckIncludeFile)
    check_include_file("${header}" ${variable})
  endif()
  if(NOT ${variable})
    unset(${variable} CACHE) # it may be installed by the next time
    _waymark_error("backend ${backend}: <${header}> is missing; install ${package}")
  endif()
endfunction()

# Finds LTTng-UST, which the target links.
function(_waymark_need_ust target)
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(WAYMARK_UST QUIET IMPORTED_TARGET "lttng-ust>=2.13")
  endif()
  if(NOT TARGET PkgConfig::WAYMARK_UST)
    _waymark_error("backend ust: lttng-ust >=2.13 is missing; install liblttng-ust-dev")
  endif()
endfunction()

# Checks the system for the requirements of the chosen backends besides libwaymark.
function(_waymark_check_system target)
  set(CMAKE_REQUIRED_QUIET TRUE)
  if(ftrace IN_LIST backends AND NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
    _waymark_error("backend ftrace: not available on ${CMAKE_SYSTEM_NAME}")
  endif()
  if(dtrace IN_LIST backends)
    _waymark_need_header(${target} dtrace sys/sdt.h systemtap-sdt-dev)
  endif()
  if(syslog IN_LIST backends)
    _waymark_need_header(${target} syslog syslog.h libc6-dev)
  endif()
  if(ust IN_LIST backends)
    _waymark_need_ust(${target})
  endif()
endfunction()

function(_waymark_check_names target)
  if(NOT arg_GROUP MATCHES "^[A-Za-z0-9_.-]+$")
    _waymark_error("GROUP '${arg_GROUP}' names a header: letters, digits and _-. only")
  endif()
  if(DEFINED arg_PROVIDER AND NOT arg_PROVIDER MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    _waymark_error("PROVIDER '${arg_PROVIDER}' is not an identifier of C")
  endif()
  get_target_property(groups ${target} WAYMARK_GROUPS)
  if(arg_GROUP IN_LIST groups)
    _waymark_error("it has a group '${arg_GROUP}' already: name another one with GROUP")
  endif()
endfunction()

# Adds a generated file to the target. make compares times, so for make the file is always written,
# even unchanged. ninja notices by itself that an unchanged file affects nothing.
function(_waymark_file target format name)
  set(output "${directory}/${name}")
  set(options --format=${format} "--backends=${backend_list}" "--group=${arg_GROUP}")
  if(DEFINED arg_PROVIDER)
    list(APPEND options "--provider=${arg_PROVIDER}")
  endif()
  if(DEFINED arg_VCPU_TYPE)
    list(APPEND options "--vcpu-type=${arg_VCPU_TYPE}")
  endif()
  set(depfile "")
  if(CMAKE_GENERATOR MATCHES Ninja)
    list(APPEND options "--depfile=${output}.d")
    set(depfile DEPFILE "${output}.d")
  else()
    list(APPEND options --always)
  endif()
  add_custom_command(OUTPUT "${output}"
    COMMAND "${WAYMARK_TRACETOOL}" ${options} -o "${output}" ${inputs}
    DEPENDS ${inputs} ${files} "${WAYMARK_TRACETOOL}"
    ${depfile}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" # from where the names of declarations are told
    COMMENT "Generating ${name} of ${target}"
    VERBATIM)
  # Never in one unit with other sources: all generated files have statics of the same names.
  set_source_files_properties("${output}" PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON SKIP_AUTOGEN ON)
  if(name MATCHES "[.]c$")
    set_source_files_properties("${output}" PROPERTIES LANGUAGE ${language})
  endif()
  target_sources(${target} PRIVATE "${output}")
endfunction()

# Uses properties, because target_link_libraries() would fix one of its two forms and the target's
# own calls may use the other. Programs that link an archive or objects may fire their events, so
# they inherit the libraries and headers.
function(_waymark_link target)
  set(libraries Waymark::waymark)
  if(arg_STATIC)
    set(libraries Waymark::waymark-static)
  endif()
  if(ust IN_LIST backends)
    list(APPEND libraries PkgConfig::WAYMARK_UST)
  endif()
  set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES ${libraries})
  set_property(TARGET ${target} APPEND PROPERTY INCLUDE_DIRECTORIES "${directory}")
  get_target_property(type ${target} TYPE)
  if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${libraries})
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_INCLUDE_DIRECTORIES
      "$<BUILD_INTERFACE:${directory}>")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY WAYMARK_GROUPS ${arg_GROUP})
endfunction()

function(waymark_generate target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TCG;STATIC" "GROUP;PROVIDER;VCPU_TYPE"
    "FILES;BACKENDS")
  if(DEFINED arg_UNPARSED_ARGUMENTS)
    _waymark_error("unknown argument '${arg_UNPARSED_ARGUMENTS}'; see ${CMAKE_CURRENT_FUNCTION_LIST_FILE}")
  endif()
  if(DEFINED arg_KEYWORDS_MISSING_VALUES)
    _waymark_error("a value is missing after ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT DEFINED arg_FILES)
    _waymark_error("FILES are missing: the declarations of its events")
  endif()
  if(NOT DEFINED arg_BACKENDS)
    set(arg_BACKENDS log)
    if(WAYMARK_BACKENDS)
      set(arg_BACKENDS "${WAYMARK_BACKENDS}")
    endif()
  endif()
  if(NOT DEFINED arg_GROUP)
    set(arg_GROUP "${target}")
  endif()
  if(NOT EXISTS "${WAYMARK_TRACETOOL}")
    _waymark_error("tracetool is missing: install it, or give its path as WAYMARK_TRACETOOL")
  endif()
  _waymark_check_target("${target}")
  _waymark_check_names(${target})
  _waymark_read_files(${target} ${arg_FILES})
  _waymark_read_backends(${target} ${arg_BACKENDS})
  _waymark_read_language(${target})
  _waymark_check_system(${target})

  set(directory "${CMAKE_CURRENT_BINARY_DIR}/waymark/${target}")
  file(MAKE_DIRECTORY "${directory}")
  string(REPLACE ";" "," backend_list "${backends}")
  _waymark_file(${target} h trace-${arg_GROUP}.h)
  _waymark_file(${target} c trace-${arg_GROUP}.c)
  if(ust IN_LIST backends)
    _waymark_file(${target} ust-events-h trace-ust-${arg_GROUP}.h)
    _waymark_file(${target} ust-events-c trace-ust-${arg_GROUP}.c)
  endif()
  if(arg_TCG)
    _waymark_file(${target} translate-h trace-tcg-${arg_GROUP}.h)
  endif()
  _waymark_link(${target})
endfunction()
