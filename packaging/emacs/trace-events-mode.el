;;; trace-events-mode.el --- Declarations of trace events  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Major mode for files that declare trace events, see waymark-trace-events(5):
;;
;;	[property ...] name(arguments) ["format"[, "format"]]
;;
;; In the init file:
;;
;;	(require 'trace-events-mode)

;;; Code:

(defconst trace-events-hole
  (concat "%[-+ #0']*\\(?:[0-9]+\\|\\*\\)?\\(?:\\.\\(?:[0-9]+\\|\\*\\)?\\)?"
          "\\(?:\\(?:hh\\|ll\\|[hljzt]\\)?[diouxX]\\|l?[cs]\\|[pm]\\)\\|%%"
          "\\|\\(%[-+ #0']*[0-9.*]*\\)\"")
  "A conversion of a format; one that a macro behind the quote ends is group 1.")

(defvar trace-events-font-lock-keywords
  `(("\\_<\\(disable\\|tcg\\|vcpu\\)\\_>[ \t]" 1 font-lock-keyword-face)
    ("\\_<\\([A-Za-z0-9_]+\\)(" 1 font-lock-function-name-face)
    ("\\_<\\(void\\|bool\\|char\\|short\\|int\\|long\\|signed\\|unsigned\\|const\\|struct\\|union\\|enum\\|[A-Za-z0-9_]+_t\\|TCGv\\(?:_[a-z0-9]+\\)?\\)\\_>[ *,)]"
     1 font-lock-type-face)
    ("\\_<PRI[diouxX]\\(?:8\\|16\\|32\\|64\\|MAX\\|PTR\\)\\_>" . font-lock-constant-face)
    ("^[ \t]*#[ \t]*\\(@\\(?:enum\\|flags\\|unit\\|key\\|begin\\|step\\|end\\|hot\\|secret\\)\\)\\_>"
     1 font-lock-preprocessor-face prepend)
    (trace-events-next-hole 0 font-lock-variable-name-face prepend))
  "What is highlighted besides comments and strings.")

(defun trace-events-next-hole (limit)
  "Find a conversion before LIMIT that stands in a format."
  (let (found)
    (while (and (not found) (re-search-forward trace-events-hole limit t))
      (when (nth 3 (save-excursion (syntax-ppss (match-beginning 0))))
        (setq found t)
        (when (match-beginning 1)
          (goto-char (match-end 1))
          (set-match-data (list (match-beginning 1) (match-end 1))))))
    found))

(defvar trace-events-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?' "." table)
    table)
  "Characters; none begins a comment everywhere.")

;;;###autoload
(define-derived-mode trace-events-mode prog-mode "Trace-Events"
  "Major mode for declarations of trace events."
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "^[ \t]*#+[ \t]*")
  (setq-local comment-end "")
  (setq-local syntax-propertize-function
              (syntax-propertize-rules ("^[ \t]*\\(#\\)" (1 "<"))))
  (setq-local font-lock-defaults '(trace-events-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist
             '("\\(?:/\\|\\`\\|\\.\\)trace-events\\(?:-all\\)?\\'" . trace-events-mode))

(provide 'trace-events-mode)

;;; trace-events-mode.el ends here
