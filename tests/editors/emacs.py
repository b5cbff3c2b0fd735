#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests that emacs recognizes files of declarations by their names and highlights them: emacs.py ROOT"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import sample

root = pathlib.Path(sys.argv[1]).resolve()
CLASSES = {"font-lock-comment-face": "comment", "font-lock-comment-delimiter-face": "comment",
           "font-lock-preprocessor-face": "meaning",
           "font-lock-keyword-face": "property", "font-lock-function-name-face": "name",
           "font-lock-type-face": "type", "font-lock-string-face": "text",
           "font-lock-variable-name-face": "hole", "font-lock-constant-face": "macro", "nil": ""}
TELL = """
(progn
  (find-file "%s")
  (font-lock-ensure)
  (message "%%s" major-mode)
  (dolist (place '(%s))
    (goto-char (point-min))
    (forward-line (1- (car place)))
    (let ((face (get-text-property (+ (point) (1- (cdr place))) 'face)))
      (message "%%s" (if (consp face) (car face) face)))))
"""


def main():
    if not shutil.which("emacs"):
        print("skipped: there is no emacs")
        sys.exit(77)
    mode = root / "packaging/emacs/trace-events-mode.el"
    with tempfile.TemporaryDirectory(prefix="waymark-test-") as folder:
        faults = 0
        for name in ("trace-events", "trace-events-all", "block.trace-events"):
            path = pathlib.Path(folder, name)
            sample.write(path)
            places = " ".join(f"({line} . {column})" for line, column, _, _ in sample.places())
            done = subprocess.run(["emacs", "--batch", "-Q", "-l", mode, "--eval", TELL % (path, places)],
                                  capture_output=True, text=True, timeout=60)
            said = done.stderr.splitlines()
            if done.returncode or not said or said[0] != "trace-events-mode":
                print(f"{name}: {done.stderr}")
                sys.exit(1)
            faults += sample.compare("emacs", said[1:], CLASSES)
        compiled = pathlib.Path(folder, mode.name)
        shutil.copy(mode, compiled)
        done = subprocess.run(["emacs", "--batch", "-Q", "--eval", "(setq byte-compile-error-on-warn t)",
                               "-f", "batch-byte-compile", compiled], capture_output=True, text=True, timeout=60)
        print(done.stderr)
        sys.exit(faults > 0 or done.returncode)


main()
