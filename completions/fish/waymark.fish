# SPDX-License-Identifier: MIT
# fish completion for waymark; what it offers, waymark itself says.

function __waymark_commands
    waymark --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __waymark_options
    set -l words (commandline -opc)
    waymark $words[2] --help 2>/dev/null | sed -n 's/^ .*\(--[a-z-]*=\{0,1\}\)[A-Z]*  *\(.*\)/\1\t\2/p'
end

complete -c waymark -n __fish_is_first_token -f -a '(__waymark_commands)'
complete -c waymark -n 'string match -q -- "-*" (commandline -ct)' -a '(__waymark_options)'
