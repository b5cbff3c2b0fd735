# SPDX-License-Identifier: MIT
# fish completion of waymark, tracetool and simpletrace; ../../waymark/complete computes the
# offers.

set -g __waymark_complete (realpath (dirname (status filename)))/../../waymark/complete

function __waymark_offers
    set -l words (commandline -opc) (commandline -ct | string replace -r '^["\']' '') # a quote may be open
    set -l lines (sh $__waymark_complete $words)
    set -l head (string split \t -- $lines[1])
    set -l path (string sub -s (math 1 + (string length -- $head[2])) -- $words[-1])
    for line in $lines[2..-1]
        echo -- $head[2]$line
    end
    switch $head[1]
        case files
            for line in (__fish_complete_path $path)
                echo -- $head[2]$line
            end
        case folders
            for line in (__fish_complete_directories $path '')
                echo -- $head[2]$line
            end
        case 'program *'
            set -l first (math 1 + (string replace 'program ' '' -- $head[1]))
            complete -C (string join ' ' -- (string escape -- $words[$first..-2]) $words[-1])
    end
end

complete -c waymark -f -a '(__waymark_offers)'
complete -c tracetool -f -a '(__waymark_offers)'
complete -c simpletrace -f -a '(__waymark_offers)'
