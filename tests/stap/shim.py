#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the parts of programs that test a tapset.

shim.py marks HEADER      of a generated header: trace_<event>() that is a mark of sys/sdt.h
shim.py calls HEADER      of a generated header: trace_<event>() that calls its probe
shim.py names HEADER      its events, in order
shim.py program TAPSET    a program with a mark for each probe of the tapset
shim.py begin TAPSET      the tapset with its marks made `begin` and its arguments ours
shim.py unit C EVENTS     what a program needs of SystemTap's C, stap_fire() included
"""
import re
import sys


def text(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def events(header):
    """Yields (name, parameters, names of the parameters) of each event."""
    found = re.findall(r'^static inline void trace_(\w+)\(([^)]*)\)', text(header), re.M)
    for name, parameters in found:
        parameters = ' '.join(parameters.split())
        args = [] if parameters == 'void' else [re.search(r'\w+$', p).group() for p in
                                                parameters.split(', ')]
        yield name, parameters, args


def marks(header):
    print('#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n'
          '#include <sys/types.h>\n#include <sys/sdt.h>\nstruct CPUState;')
    for name, parameters, args in events(header):
        count = len(args) or ''
        listed = ', '.join(['shim', name] + args)
        print(f'static inline void trace_{name}({parameters}) {{ STAP_PROBE{count}({listed}); }}')


def calls(header):
    print('#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n'
          '#include <sys/types.h>\nstruct CPUState;\nvoid stap_fire(int event, const int64_t *args);')
    for i, (name, parameters, args) in enumerate(events(header)):
        listed = ', '.join(['0'] + [f'(int64_t)({arg})' for arg in args])
        print(f'static inline void trace_{name}({parameters})\n'
              f'{{ int64_t shim[64] = {{ {listed} }}; stap_fire({i}, shim); }}')


def names(header):
    for name, _, _ in events(header):
        print(name)


def program(tapset):
    print('#include <sys/sdt.h>\nint main(void)\n{')
    for probe in text(tapset).split('\nprobe ')[1:]:
        count = len(re.findall(r'\$arg', probe))
        name = re.search(r'mark\(\s*"(\w+)"\)', probe).group(1)
        print(f'\tSTAP_PROBE{count or ""}({", ".join(["shim", name] + ["0L"] * count)});')
    print('}')


def begin(tapset):
    changed = re.sub(r'process\(\s*"[^"]*"\)\s*\.mark\(\s*"\w+"\)\?', 'begin', text(tapset))
    print(re.sub(r'\$arg(\d+)', r'shim_arg(\1)', changed))
    print('function shim_arg:long(n:long) %{ /* pure */ STAP_RETVALUE = shim_args[STAP_ARG_n]; %}')


FIRE = '''
static void (*const stap_handlers[])(struct context *) = { %s };
void stap_fire(int event, const int64_t *args);
void stap_fire(int event, const int64_t *args)
{
	static struct context context;

	memset(&context, 0, sizeof(context));
	memcpy(shim_args, args, sizeof(shim_args));
	context.nesting = -1;
	context.actionremaining = 1000;
	stap_handlers[event](&context);
	if (context.last_error) {
		fprintf(stderr, "%%s: %%s\\n", context.last_stmt, context.last_error);
		abort();
	}
	fwrite(stap_buffer, 1, stap_used, stdout);
	fflush(stdout);
	stap_used = 0;
}
'''

CONTEXT = '''
  int nesting, aborted, next, actionremaining;
  const char *last_stmt, *last_error;
  char error_buffer[MAXSTRINGLEN];
'''


def unit(path, count):
    """Prints the text from `struct context` to the probes, without the kernel's parts in between."""
    c = text(path)
    c = c[c.index('struct context {'):]
    c = c.replace('  #include "common_probe_context.h"\n', CONTEXT, 1)
    before, rest = c.split('static atomic_t need_module_refresh', 1)
    handlers = re.findall(r'STAP_PROBE_INIT\(\d+, &(\w+),', rest)
    rest = rest[rest.index('static void function_'):]
    rest = rest[:rest.index('/* ---- begin/end/error probes')]
    rest = re.sub(r'\nstruct stap_probe \{.*?\n\} static stap_probes\[\];\n', '\n', rest, flags=re.S)
    rest = re.sub(r'\nstatic struct stap_probe stap_probes\[\] = \{.*?\n\};\n', '\n', rest, flags=re.S)
    body = before + rest
    if len(handlers) != int(count):
        sys.exit(f'{len(handlers)} probes for {count} events')
    print('#include "kernel.h"\n#include "vsprintf.c"')
    print('\n'.join(line for line in body.split('\n') if not line.startswith('#include')))
    print(FIRE % ', '.join(handlers))


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
