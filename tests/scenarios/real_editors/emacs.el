;;; Edits a file with eglot, and checks where the threads are.  -*- lexical-binding: t -*-
;; The numbers are those of the thirty edits in lsp/tests/lsp/thirty.rs.
(load (expand-file-name "setup.el" (getenv "HOME")) nil t)
(require 'eglot)
(require 'flymake)
(setq eglot-sync-connect 30)
(setq revert-without-query '(".*"))

(defun shown ()
  "Where threads are, and what they say."
  (let ((all (mapcar (lambda (one)
                       (cons (1- (line-number-at-pos (flymake-diagnostic-beg one)))
                             (replace-regexp-in-string
                              "\\(^[^a]*\\[[0-9a-f]+\\]: \\|ann: \\)" ""
                              (flymake-diagnostic-text one))))
                     (flymake-diagnostics))))
    (mapconcat (lambda (one) (format "%d %s" (car one) (cdr one)))
               (sort all (lambda (a b) (< (car a) (car b)))) " | ")))

(defun sends ()
  "Send what waits, as eglot does when nobody types for half a second."
  (eglot--signal-textDocument/didChange))

(defun expect (step expected)
  "Wait until EXPECTED is shown after STEP."
  (let ((deadline (+ (float-time) 20)))
    (while (and (< (float-time) deadline) (not (string-match-p expected (shown))))
      (accept-process-output nil 0.02)
      (flymake-start))
    (unless (string-match-p expected (shown))
      (message "%s: %s instead of %s" step (shown) expected)
      (kill-emacs 1))))

(defun line (number)
  "Go to the line NUMBER."
  (goto-char (point-min))
  (forward-line (1- number)))

(defun delete-lines (count)
  "Delete COUNT lines."
  (delete-region (point) (line-beginning-position (1+ count))))

(defun visit (file &optional mode)
  "Open FILE in MODE, and wait for the server."
  (find-file file)
  (funcall (or mode #'text-mode))
  (let ((deadline (+ (float-time) 30)))
    (while (and (< (float-time) deadline) (not (eglot-managed-p)))
      (run-hooks 'post-command-hook)
      (accept-process-output nil 0.02)))
  (buffer-enable-undo))

(visit "a.txt")
(defconst both "^9 T | 19 U$")
(expect "opened" both)
(dolist (step
         (list
          (list "1, a line above" "^10 T | 20 U$" (lambda () (line 1) (insert "// new\n")))
          (list "2, two lines deleted" "^7 T | 17 U$" (lambda () (line 3) (delete-lines 2)))
          (list "3, enter at the beginning" "^10 T | 20 U$" (lambda () (line 10) (newline)))
          (list "4, enter at the end" "^9 T | 20 U$" (lambda () (line 10) (end-of-line) (newline)))
          (list "5, a letter" "^9 T (outdated) | 19 U$" (lambda () (line 10) (forward-char 8) (insert "x")))
          (list "7, indented" "^9 T (shifted 100 %) | 19 U$" (lambda () (line 10) (insert "    ")))
          (list "8, deleted" "^0 T (orphaned) | 18 U$" (lambda () (line 10) (delete-lines 1)))
          (list "10, cut and pasted" "^18 U | 35 T (shifted 70 %)$"
                (lambda () (line 10)
                  (let ((cut (delete-and-extract-region (point) (line-beginning-position 2))))
                    (sends) (line 36) (insert cut))))
          (list "11, moved up" "^8 T | 19 U$" (lambda () (line 10) (transpose-lines 1)))
          (list "12, duplicated" "^9 T (shifted 80 %) | 20 U$"
                (lambda () (line 10)
                  (let ((copy (buffer-substring (point) (line-beginning-position 2)))) (insert copy))))
          (list "14, all replaced" "^0 T (orphaned)" (lambda () (erase-buffer) (insert "x")))
          (list "16, a formatter" "^9 T (shifted 100 %) | 19 U (shifted 100 %)$"
                (lambda () (shell-command-on-region (point-min) (point-max) "sed 's/^/  /'" nil t)))
          (list "17, line by line" "^9 T (shifted 100 %) | 19 U (shifted 100 %)$"
                (lambda () (line 1) (while (not (eobp)) (insert "  ") (forward-line 1))))
          (list "18, several lines" "^9 T (outdated) | 19 U$"
                (lambda () (dolist (nth '(6 10 15)) (line nth) (forward-char 8) (insert "x"))))
          (list "25, conflict markers" "^10 T | 23 U$"
                (lambda () (line 11) (insert "=======\nother\n>>>>>>> topic\n")
                  (line 10) (insert "<<<<<<< HEAD\n")))))
  (undo-boundary)
  (funcall (nth 2 step))
  (undo-boundary)
  (sends)
  (expect (nth 0 step) (nth 1 step))
  (primitive-undo 1 buffer-undo-list)
  (setq buffer-undo-list nil)
  (unless (string= (buffer-string) (with-temp-buffer (insert-file-contents "a.txt") (buffer-string)))
    (erase-buffer)
    (insert-file-contents "a.txt"))
  (sends)
  (expect (concat (nth 0 step) ", undone") both)
  (set-buffer-modified-p nil)
  (setq buffer-undo-list nil))
;; A filter that changes nothing.
(shell-command-on-region (point-min) (point-max) "cat" nil t)
(sends)
(expect "15, filtered" both)
(set-buffer-modified-p nil)
;; Another program changes the file.
(call-process "sed" nil nil nil "-i" "1i elsewhere" "a.txt")
(revert-buffer t t t)
(expect "20, reverted" "^10 T | 20 U$")
(call-process "git" nil nil nil "commit" "-q" "-a" "-m" "committed")
(line 1)
(insert "unsaved\n")
(sends)
(expect "24, committed" "^11 T | 21 U$")
(set-buffer-modified-p nil)
(visit "b.txt")
(expect "another file" "^9 R$")
(line 13)
(insert "inside\n")
(sends)
(expect "19, a line put inside" "^9 R (shifted 100 %)$")
(set-buffer-modified-p nil)
(kill-buffer)
(rename-file "b.txt" "c.txt")
(visit "c.txt")
(expect "26, renamed" "^9 R$")
;; A language that eglot knows, and whose server is not installed.
(visit "e.txt" #'python-mode)
(expect "a language without a server" "^1 E$")
;; It is the last entry.
(defconst postil (cdr (car (last eglot-server-programs))))
(defun is-started (contact expected)
  "Check that CONTACT becomes EXPECTED."
  (let ((became (postil-beside contact)))
    (unless (equal became expected)
      (message "%S becomes %S instead of %S" contact became expected)
      (kill-emacs 1))))
(is-started '("sh" "-c" "x" :initializationOptions 1) '("sh" "-c" "x" :initializationOptions 1))
(is-started '("localhost" 7) '("localhost" 7))
(is-started (lambda (_) '("not-installed")) postil)
(is-started (lambda (_ _) (error "Not found")) postil)
;; With a program that runs two servers.
(let ((exec-path (cons default-directory exec-path)))
  (with-temp-file "rass" (insert "#!/bin/sh\n"))
  (set-file-modes "rass" #o755)
  (is-started '("sh" "-c" "x" :initializationOptions 1)
              `("rass" "--" "sh" "-c" "x" "--" ,@postil :initializationOptions 1))
  (is-started (lambda () '("sh" "--port" :autoport)) '("sh" "--port" :autoport)))
(princ "all steps are right\n")
(kill-emacs 0)
