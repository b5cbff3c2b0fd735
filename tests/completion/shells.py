# SPDX-License-Identifier: MIT
"""Runs bash, zsh and fish like a user: returns the offers of each after the completion key is
pressed behind a line. The completion files are in a tree like the installed one.
"""

import contextlib
import os
import pathlib
import pty
import select
import shutil
import signal
import subprocess
import threading

PATIENCE = 60
END = "--the end--"
PLACES = {"bash/waymark": "bash-completion/completions/waymark",
          "zsh/_waymark": "zsh/site-functions/_waymark",
          "fish/waymark.fish": "fish/vendor_completions.d/waymark.fish",
          "complete": "waymark/complete"}

# Reports whole words, although readline completes the parts between COMP_WORDBREAKS.
BASHRC = """
source "$SHARE/bash-completion/completions/waymark"
bind 'set enable-bracketed-paste off'
bind 'set completion-query-items 0'
bind 'set page-completions off'
caught() {
	local word=${COMP_LINE:0:COMP_POINT}
	echo "$COMP_LINE" >~/line
	_waymark "$@"
	word=${word##* } word=${word%"$2"}
	printf '%s\\n' "${COMPREPLY[@]/#/${word//[\\"\\']/}}" "$END" >"$ANSWERS"
}
complete -o filenames -F caught waymark tracetool simpletrace
PROMPT_COMMAND='echo "$END" >"$ANSWERS"; unset PROMPT_COMMAND'
"""
ZSHRC = """
fpath=($SHARE/zsh/site-functions $fpath)
autoload -Uz compinit && compinit -u -D
compadd() {
	local -a hits
	local i hidden
	for ((i = 1; i <= $#; i++)); do
		case $argv[i] in
		-|--) break ;;
		-[a-zA-Z]#[OAD]) builtin compadd "$@"; return ;;
		-p) hidden=$argv[i+1] ;;
		esac
	done
	builtin compadd -O hits "$@"
	caught+=("${IPREFIX}$hidden"${^hits})
	builtin compadd "$@"
}
catch() {
	caught=()
	_main_complete
	compstate[insert]= compstate[list]=
	print -rl -- "${(@)caught}" "$END" >$ANSWERS
}
setopt extended_glob
zle -C catch complete-word catch
bindkey '^I' catch
ready() { print -r -- "$END" >$ANSWERS; zle -D zle-line-init }
zle -N zle-line-init ready
"""
FISH = """
source $SHARE/fish/vendor_completions.d/waymark.fish
while read -l line
    complete -C $line
    echo $END
end
"""


def lay_out(completions, share):
    """Copies the completion files to the places of `meson install`."""
    for file, place in PLACES.items():
        (share / place).parent.mkdir(parents=True, exist_ok=True)
        (share / place).symlink_to(pathlib.Path(completions, file).resolve())


def session(leader):
    """Yields the process and all its descendants; each may end in the meantime."""
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        with contextlib.suppress(ProcessLookupError):
            if os.getsid(pid) == leader:
                yield pid


class Shell:
    """A running shell; offered() may be called any number of times."""

    def __init__(self, command, env, folder, on_terminal):
        self.answers = b""
        self.terminal = None
        if on_terminal:
            fifo = str(folder / f"answers-{command[0]}")
            os.mkfifo(fifo)
            self.reader = os.open(fifo, os.O_RDWR)
            self.terminal, slave = pty.openpty()
            self.process = subprocess.Popen(command, env={**env, "ANSWERS": fifo}, cwd=folder, stdin=slave,
                                            stdout=slave, stderr=slave, start_new_session=True,
                                            preexec_fn=self.take_terminal)
            os.close(slave)
            self.input = self.terminal
            threading.Thread(target=self.drain, daemon=True).start()
            self.answer("its first prompt")
        else:
            self.process = subprocess.Popen(command, env=env, cwd=folder, stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                            start_new_session=True)
            self.reader, self.input = self.process.stdout.fileno(), self.process.stdin.fileno()

    @staticmethod
    def take_terminal():
        import fcntl
        import termios
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def drain(self):
        """Reads all output into `shown`, because the shell would block otherwise."""
        self.shown = b""
        try:
            while True:
                self.shown = (self.shown + os.read(self.terminal, 4096))[-4096:]
        except OSError:
            pass

    def offered(self, line):
        """Returns the whole words that are offered at the end of the line."""
        return self.press(f"\x05\x15{line}\t" if self.terminal else line + "\n")

    def press(self, keys):
        """Sends keys, of which the last is the completion key; returns the offered words."""
        os.write(self.input, keys.encode())
        return self.answer(keys)

    def answer(self, keys):
        while END.encode() + b"\n" not in self.answers:
            if not select.select([self.reader], [], [], PATIENCE)[0]:
                raise TimeoutError(f"{self.process.args[0]} does not answer: {keys}: {self.shown}")
            more = os.read(self.reader, 65536)
            if not more:
                raise EOFError(f"{self.process.args[0]} has ended")
            self.answers += more
        said, _, self.answers = self.answers.partition(END.encode() + b"\n")
        return {word.split("\t")[0] for word in said.decode().splitlines() if word}

    def close(self):
        for pid in session(self.process.pid):  # a hanging shell's own children would survive
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        if self.terminal:
            os.close(self.terminal)
            os.close(self.reader)
        else:
            self.process.stdin.close()
            self.process.stdout.close()


def start(completions, env, folder):
    """Returns {name: Shell} of the installed shells; `folder` gets their home and completion files."""
    share, home = folder / ".share", folder / ".home"
    lay_out(completions, share)
    home.mkdir()
    (home / "bashrc").write_text(BASHRC)
    (home / ".zshrc").write_text(ZSHRC)
    env = {**env, "SHARE": str(share), "HOME": str(home), "ZDOTDIR": str(home), "END": END, "TERM": "dumb"}
    shells = {}
    for command, on_terminal in ((["bash", "--noprofile", "--rcfile", str(home / "bashrc"), "-i"], True),
                                 (["zsh", "--no-globalrcs", "-i"], True),
                                 (["fish", "--no-config", "-c", FISH], False)):
        if shutil.which(command[0]):
            shells[command[0]] = Shell(command, env, folder, on_terminal)
        else:
            print(f"the completion of {command[0]} is not tested: {command[0]} is missing")
    return shells
