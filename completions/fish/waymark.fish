# SPDX-License-Identifier: MIT
# fish completion for waymark; what it offers, waymark itself says.

function __waymark_commands
    waymark --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __waymark_options
    set -l words (commandline -opc)
    waymark $words[2] --help 2>/dev/null | sed -n 's/^ .*\(--[a-z-]*=\{0,1\}\)[A-Z]*  *\(.*\)/\1\t\2/p'
end

# Behind the options of `waymark record`: a program, and its own arguments.
function __waymark_records
    set -l words (commandline -opc)
    test "$words[2]" = record
end

complete -c waymark -n __waymark_records -a '(__fish_complete_subcommand --fcs-skip=2)'
complete -c waymark -n __fish_is_first_token -f -a '(__waymark_commands)'
complete -c waymark -n 'string match -q -- "-*" (commandline -ct)' -a '(__waymark_options)'
