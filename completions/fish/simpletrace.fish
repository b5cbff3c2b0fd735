# SPDX-License-Identifier: MIT
# fish completion for simpletrace; what it offers, simpletrace itself says.

function __simpletrace_options
    simpletrace --help | sed -n 's/^ .*\(--[a-z-]*=\{0,1\}\)[A-Z]*  *\(.*\)/\1\t\2/p'
end

complete -c simpletrace -n 'string match -q -- "-*" (commandline -ct)' -a '(__simpletrace_options)'
