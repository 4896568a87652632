;;; Threads of postil in every buffer, with eglot.  For init.el; needs Emacs 29 or newer.
;; Eglot runs one server for each buffer.  Beside the server of a language, postil runs through `rass' (the package
;; rassumfrassum of PyPI) if that is installed; without it, such a buffer has its own server alone.  Where the server of a
;; language is not installed, and in all other buffers, postil is the server.
(defun postil-beside (contact &optional interactive project)
  "How to start the server that CONTACT starts, with postil beside it."
  (let* ((most (and (functionp contact) (cdr (func-arity contact))))
         (given (and most (seq-take (list interactive project) (if (numberp most) most 2))))
         (other (if most (ignore-errors (apply contact given)) contact))
         (words (and (listp other) (seq-take-while #'stringp other)))
         (options (and words (nthcdr (length words) other))))
    (cond ((or (numberp (car options)) (and other (null words))) other)
          ((not (and words (executable-find (car words)))) '("PROGRAM" "lsp"))
          ((or (memq :autoport options) (not (executable-find "rass"))) other)
          (t `("rass" "--" ,@words "--" "PROGRAM" "lsp" ,@options)))))
(with-eval-after-load 'eglot
  (setq eglot-server-programs
        (append (mapcar (lambda (entry) (cons (car entry) (apply-partially #'postil-beside (cdr entry))))
                        eglot-server-programs)
                '(((prog-mode text-mode conf-mode) . ("PROGRAM" "lsp"))))))
(dolist (hook '(prog-mode-hook text-mode-hook conf-mode-hook))
  (add-hook hook #'eglot-ensure))
