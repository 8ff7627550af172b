#!/bin/sh
# tools/run-sanitizer.sh [all]
# Tests that reach all of the C code that any test reaches (tools/sanitized-tests.tsv), or all tests,
# and a short fuzz, with the C code under AddressSanitizer and UBSan (or, where
# the compiler has none, under valgrind). Any report is a failure.
. tools/common.sh
. tools/sanitizer.sh

test_environment
choose_sanitizer || { record "tests under sanitizers" 0 0 1; exit 0; }

echo "== Tests under $tool"
install_sanitized "$@" || exit 1
tar -xzf "$tarball" -C "$dir"       # the tests run in this copy

status=0
run_tests "tests under sanitizers" "$dir" 1 under_sanitizer tools/run-tests.R "$dir" "$@" || status=1

# The whole fuzz is "make fuzz". Under valgrind a call takes seconds.
if [ -n "$flags" ]; then calls=300 files=2000; else calls=10 files=100; fi
echo "== Fuzz under $tool: $calls calls, $files mutated files"
item "fuzz, $calls calls" fuzz_sanitized "$calls" 1 "$dir/fuzz" || status=1
item "fuzz, $files mutated files" fuzz_files_sanitized "$files" 1 "$dir/fuzz-files" || status=1
item "no sanitizer report" no_report || status=1
exit "$status"
