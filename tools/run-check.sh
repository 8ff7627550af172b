#!/bin/sh
# R CMD build, a compilation with all warnings, R CMD check --as-cran; counts
# each into .build/results.tsv and fails when any of them fails.
. tools/common.sh

export REPALIGN_DOWNLOAD=true
export NOT_CRAN=true                          # so that no test skips itself
# CRAN asks for few threads: more CPU than 2.5 times the elapsed time is a NOTE.
export OPENBLAS_NUM_THREADS=2 OMP_NUM_THREADS=2
# No question to a server: the checks must not hang, or fail, without one.
export _R_CHECK_CRAN_INCOMING_REMOTE_=false _R_CHECK_SYSTEM_CLOCK_=false
export _R_CHECK_CRAN_INCOMING_USE_ASPELL_=false
# A suggested package may be absent only where it could not be installed.
[ -z "$(Rscript tools/missing-packages.R)" ] || export _R_CHECK_FORCE_SUGGESTS_=false

no_vignettes=
if ! have pandoc || ! Rscript -e 'quit(status = !all(sapply(c("knitr", "rmarkdown"), requireNamespace)))'; then
  echo "run-check: no pandoc, knitr or rmarkdown: vignettes are left out"
  record "vignettes" 0 0 1
  no_vignettes=yes
fi

echo "== R CMD build"
item "R CMD build" build_package "$build" ${no_vignettes:+--no-build-vignettes} || exit 1

echo "== Compilation with -Wall -Wextra -pedantic"
echo 'CFLAGS += -Wall -Wextra -pedantic' > "$build/Makevars.warnings"
compile() {
  R_MAKEVARS_USER=$build/Makevars.warnings install_package "$build/lib" "$tarball" \
    > "$build/compile.log" 2>&1 || { cat "$build/compile.log"; return 1; }
  cat "$build/compile.log"
}
# R's own headers are included by absolute paths: only our files are counted.
no_warning() { ! grep -E '^[^/].*warning:' "$build/compile.log"; }
item "installation" compile || exit 1
item "no compiler warning" no_warning || true

echo "== R CMD check --as-cran"
# Flags that this R was itself compiled with are not the package's.
_R_CHECK_COMPILATION_FLAGS_KNOWN_="${_R_CHECK_COMPILATION_FLAGS_KNOWN_:-} $(R CMD config CFLAGS)"
export _R_CHECK_COMPILATION_FLAGS_KNOWN_
rm -rf "$build/repalign.Rcheck"
R CMD check --as-cran --no-manual --output="$build" \
  ${no_vignettes:+--no-build-vignettes --ignore-vignettes} "$tarball" || true
Rscript tools/check-log.R "$build/repalign.Rcheck/00check.log" "$results"

# testthat's own count, the last line of its kind that tests/testthat.R printed.
count=$(cat "$build"/repalign.Rcheck/tests/testthat.Rout* 2>/dev/null |
  sed -n 's/.*\[ FAIL \([0-9]*\) | WARN \([0-9]*\) | SKIP \([0-9]*\) | PASS \([0-9]*\) \].*/\4 \1 \3 \2/p' |
  tail -n 1)
# shellcheck disable=SC2086 # four numbers, or "0 1": the tests died
record "tests in R CMD check" ${count:-0 1}

! awk -F'\t' '$3 > 0' "$results" | grep -q .
