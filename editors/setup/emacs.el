;;; Threads of postil in every buffer that no other language server serves.  For init.el; needs Emacs 29 or newer.
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs
               '((prog-mode text-mode conf-mode) . ("PROGRAM" "lsp"))
               t))
(dolist (hook '(prog-mode-hook text-mode-hook conf-mode-hook))
  (add-hook hook #'eglot-ensure))
;; Eglot runs one server for each buffer.  To have postil beside another one, run both through `rass` (the package
;; rassumfrassum of PyPI):
;;   (add-to-list 'eglot-server-programs
;;                '((rust-mode rust-ts-mode) . ("rass" "--" "rust-analyzer" "--" "PROGRAM" "lsp")))
