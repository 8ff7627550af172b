#!/bin/sh
# Which lines of R/ and src/ the tests run: a table by file, and the lines that they do not in
# .build/coverage/uncovered.txt. Installs covr where it is missing; C is counted by gcov.
. tools/common.sh

tools/install-deps.sh covr
export NOT_CRAN=true REPALIGN_EXTENDED_TESTS=true
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
folder=$build/coverage
rm -rf "$folder"
mkdir -p "$folder"
build_package "$folder" --no-build-vignettes > "$folder/build.log" 2>&1 ||
  { cat "$folder/build.log"; exit 1; }
tar -xzf "$tarball" -C "$folder"
Rscript tools/coverage.R "$folder"
