# `make demo` and `make test` are all that a fresh machine needs: both install
# what is missing first (tools/install-deps.sh) and do nothing when all is there.
# Everything they make lies in .build/, .Rlibrary/ and demo-output/.

SHELL = /bin/sh
# Locale, libraries and environment are the same in every recipe and script.
SET = . tools/common.sh;

.PHONY: help deps install demo test test-file test-machines check sanitize \
	sanitize-all choose-sanitized fuzz coverage document articles site bench clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo      set up, install the package, run the demo (demo-output/)'
	@echo 'make test      set up, R CMD check --as-cran, all tests, some again under sanitizers'
	@echo 'make check     the first half of "make test"'
	@echo 'make sanitize  the second half of "make test": tests that reach all of the C code'
	@echo 'make sanitize-all  the same with all tests'
	@echo 'make choose-sanitized  chooses the tests of "make sanitize" anew'
	@echo 'make fuzz      random calls and damaged files under sanitizers (CALLS=, FILES=, PROCESSES=, SEED=)'
	@echo 'make coverage  which lines of R/ and src/ the tests run, a table by file'
	@echo 'make install   set up and install the package into .build/lib'
	@echo 'make test-file one file of tests (FILE=forms is tests/testthat/test-forms.R)'
	@echo 'make test-machines  all tests as other machines run them: kernels of OpenBLAS, the reference'
	@echo '               BLAS, one core, no network (MACHINES=; the script of this name has the list)'
	@echo 'make document  man/ and NAMESPACE from the roxygen comments'
	@echo 'make articles  runs the articles of the site (vignettes/articles), which "make test" does not'
	@echo 'make site      the web site of the package, in .build/site (needs pandoc)'
	@echo 'make bench     set up, install, run bench/*.R'
	@echo 'make clean     remove what was built (.Rlibrary/ stays)'

deps:
	@tools/install-deps.sh

install: deps
	@$(SET) build_package "$$build" --no-build-vignettes; \
	  install_package "$$build/lib" "$$tarball"

demo: install
	@$(SET) R_LIBS=$$build/lib:$$R_LIBS Rscript tools/demo.R

# Both halves always run, side by side; tools/summary.sh decides, from what they recorded.
BEGIN = $(SET) start_results; tools/install-deps.sh || { tools/summary.sh 1; exit 1; };
END = tools/summary.sh "$${failed:-0}"

test:
	@$(BEGIN) tools/run-sanitizer.sh > "$$build/sanitizer.log" 2>&1 & sanitizer=$$!; \
	  tools/run-check.sh || failed=1; wait "$$sanitizer" || failed=1; \
	  cat "$$build/sanitizer.log"; $(END)

check:
	@$(BEGIN) tools/run-check.sh || failed=1; $(END)

sanitize:
	@$(BEGIN) tools/run-sanitizer.sh || failed=1; $(END)

sanitize-all:
	@$(BEGIN) tools/run-sanitizer.sh all || failed=1; $(END)

choose-sanitized:
	@tools/choose-sanitized.sh

CALLS = 100000
PROCESSES = 2
SEED = 1
FILES = 100000
fuzz:
	@$(BEGIN) tools/run-fuzz.sh $(CALLS) $(PROCESSES) $(SEED) $(FILES) || failed=1; $(END)

FILE = contract
test-file:
	@tools/test-file.sh $(FILE)

MACHINES =
test-machines:
	@$(BEGIN) tools/test-machines.sh $(MACHINES) || failed=1; $(END)

coverage: deps
	@$(SET) tools/run-coverage.sh

document:
	@tools/install-deps.sh roxygen2
	@$(SET) Rscript tools/document.R

articles: install
	@$(SET) R_LIBS=$$build/lib:$$R_LIBS Rscript tools/articles.R

site:
	@tools/install-deps.sh pkgdown
	@$(SET) build_package "$$build" --no-build-vignettes; \
	  install_package "$$build/lib" "$$tarball"; \
	  R_LIBS=$$build/lib:$$R_LIBS Rscript tools/site.R

bench: install
	@$(SET) for script in bench/*.R; do \
	  echo "== $$script"; \
	  R_LIBS=$$build/lib:$$R_LIBS Rscript "$$script" || exit 1; \
	done

clean:
	rm -rf .build demo-output *.Rcheck repalign_*.tar.gz src/*.o src/*.so
