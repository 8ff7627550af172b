#!/bin/sh
# tools/test-file.sh NAME: installs the package with what has changed since the last time, and runs
# tests/testthat/test-NAME.R. Compiled files are kept, so that a change of R code takes seconds.
. tools/common.sh

name=${1:?which file of tests/testthat, without "test-" and ".R"?}
[ -f "tests/testthat/test-$name.R" ] || { echo "There is no tests/testthat/test-$name.R." >&2; exit 1; }
work=$build/quick
copy=$work/repalign
if [ ! -d "$copy" ]; then
  tools/install-deps.sh
  mkdir -p "$copy" "$work/lib"
fi

# The copy gets what is newer here, and loses what is gone.
for part in DESCRIPTION NAMESPACE NEWS.md R src data inst man; do
  mkdir -p "$(dirname "$copy/$part")"
  cp -Rup "$part" "$copy/"
done
(cd "$copy" && find R src data inst man -type f ! -name '*.o' ! -name '*.so') |
  while read -r file; do [ -e "$file" ] || rm "$copy/$file"; done

# A header may be part of any compiled file, which make does not know of.
[ -e "$work/compiled" ] && [ -z "$(find "$copy/src" -name '*.h' -newer "$work/compiled")" ] ||
  rm -f "$copy"/src/*.o
touch "$work/compiled"

# Without byte code: making it takes longer than the tests of a file without it.
R CMD INSTALL --no-docs --no-test-load --no-byte-compile --library="$work/lib" "$copy" \
  > "$work/install.log" 2>&1 ||
  { cat "$work/install.log"; exit 1; }
export NOT_CRAN=true REPALIGN_EXTENDED_TESTS=true
R_LIBS=$work/lib:$R_LIBS Rscript -e 'library(testthat)' -e 'library(repalign)' \
  -e "done <- test_file('tests/testthat/test-$name.R', package = 'repalign'," \
  -e "  reporter = 'summary', load_package = 'installed', stop_on_failure = TRUE)" \
  -e 'times <- as.data.frame(done)[c("user", "test")]; rownames(times) <- NULL' \
  -e 'cat("\n", round(sum(times$user), 1), sep = "")' \
  -e 'cat(" s of processor time, the longest tests:\n")' \
  -e 'print(head(times[order(-times$user), ], 5), row.names = FALSE, right = FALSE)'
