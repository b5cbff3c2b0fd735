# SPDX-License-Identifier: MIT
# fish completion for waymark; what it offers, waymark itself says.

function __waymark_commands
    waymark --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
end

function __waymark_options
    set -l words (commandline -opc)
    waymark $words[2] --help 2>/dev/null | sed -n 's/^ .*\(--[a-z-]*=\{0,1\}\)[A-Z=]*  *\(.*\)/\1\t\2/p'
end

# Behind the options of `waymark record`: a program, and its own arguments.
function __waymark_records
    set -l words (commandline -opc)
    test "$words[2]" = record
end

# What a running process knows: itself, its events, the commands for it.
function __waymark_is_live
    set -l words (commandline -opc)
    contains -- "$words[2]" ctl attach; and not string match -q -- '-*' (commandline -ct)
end

function __waymark_live
    set -l words (commandline -opc)
    set -l word (commandline -ct | string replace -r '^["\']' '') # a quote may be open
    set -l vcpu (string match -r -- '--vcpu[ =][0-9]+' "$words" | string replace ' ' =)
    set -l given
    set -l last
    for w in $words[3..-1]
        if string match -qr -- '^(-[eo]|--(declarations|output|time|color|seconds|count|timeout|backend|vcpu))$' "$last"
            set last
        else
            set last $w
            string match -q -- '-*' $w; or set -a given $w
        end
    end
    if string match -qr -- '^(-[eo]|--(declarations|output))$' "$last"
        __fish_complete_path $word
        return
    end
    switch "$words[2]:"(count $given)":$given[2]"
        case '*:0:'
            waymark ls 2>/dev/null | awk 'NR == 1 { u = $2 == "USER" } NR > 1 && NF == 5 + u { print $1 "\t" $(2 + u); print $(2 + u) "\t" $1 }'
            __fish_complete_path $word
        case ctl:1:
            waymark ctl --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\)  *\(.*\)/\1\t\2/p'
        case 'attach:*:*' 'ctl:*:list' 'ctl:*:on' 'ctl:*:off'
            waymark ctl $given[1] list --names --timeout=1 $vcpu "$word*" 2>/dev/null
            waymark ctl $given[1] categories --names --timeout=1 2>/dev/null
        case ctl:2:file
            printf '%s\n' on off set
        case ctl:3:file ctl:2:snapshot
            __fish_complete_path $word
    end
end

complete -c waymark -n __waymark_is_live -f -a '(__waymark_live)'
complete -c waymark -n __waymark_records -a '(__fish_complete_subcommand --fcs-skip=2)'
complete -c waymark -n __fish_is_first_token -f -a '(__waymark_commands)'
complete -c waymark -n 'string match -q -- "-*" (commandline -ct)' -a '(__waymark_options)'
