# SPDX-License-Identifier: MIT
# fish completion for tracetool; what it offers, tracetool itself says.

function __tracetool_options
    tracetool --help | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*=\{0,1\}\)[^ ]*  *\(.*\)/\2\t\3/p'
end

# The last of the backends; those before it and their commas are kept.
function __tracetool_backends
    set -l before (commandline -ct | string replace -r '^--backends=' '' | string match -r '^.*,')
    for backend in (tracetool --list-backends | string split ', ')
        echo "$before$backend"
    end
end

complete -c tracetool -n 'string match -q -- "-*" (commandline -ct)' -a '(__tracetool_options)'
complete -c tracetool -l format -x -a '(tracetool --list-formats | string split ", ")'
complete -c tracetool -l backends -x -a '(__tracetool_backends)'
