#!/bin/sh
# The tests again, with the C code under AddressSanitizer and UBSan (or, where
# the compiler has none, under valgrind). Any report is a failure.
. tools/common.sh

export NOT_CRAN=true OPENBLAS_NUM_THREADS=1
dir=$build/sanitizer
rm -rf "$dir"
mkdir -p "$dir"

cc=$(R CMD config CC)
# Prints the full path of a library of the compiler; nothing if there is none.
compiler_library() { $cc -print-file-name="$1" 2>/dev/null | grep / || true; }

# R itself is not instrumented, so the sanitizer has to be loaded before it. With
# it, libstdc++: else exceptions in other packages' C++ code stop the sanitizer.
asan=$(compiler_library libasan.so)
preload="$asan $(compiler_library libstdc++.so.6)"
echo 'int main(void) { return 0; }' > "$dir/try.c"
if [ -n "$asan" ] && $cc -fsanitize=address,undefined -o "$dir/try" "$dir/try.c" &&
   LD_PRELOAD=$preload ASAN_OPTIONS=detect_leaks=0 "$dir/try"; then
  tool="AddressSanitizer and UBSan"
  flags="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
elif have valgrind; then
  tool="valgrind (no libasan here)"
  flags=
else
  echo "run-sanitizer: $cc has no AddressSanitizer (libasan) and there is no valgrind: left out"
  record "tests under sanitizers" 0 0 1
  exit 0
fi

echo "== Tests under $tool"
printf 'CFLAGS = -g -O1 %s\nLDFLAGS += %s\n' "$flags" "$flags" > "$dir/Makevars"
item "sanitizer: R CMD build" build_package "$dir" --no-build-vignettes || exit 1
# --no-test-load: the library cannot be loaded without the preloaded sanitizer.
export R_MAKEVARS_USER="$dir/Makevars"
item "sanitizer: installation" install_package "$dir/lib" "$tarball" --no-test-load || exit 1
tar -xzf "$tarball" -C "$dir"       # the tests run in this copy

# Reports go into files: tests may start processes of their own and drop what
# these print. detect_leaks: R does not free what it holds at its end.
# detect_stack_use_after_return: R's garbage collector scans the real stack.
# abort: UBSan beside ASan logs to the terminal alone; it aborts, and ASan then
# writes the report.
status=0
if [ -n "$flags" ]; then
  LD_PRELOAD=$preload \
    ASAN_OPTIONS=log_path=$dir/report:handle_abort=1:detect_leaks=0:detect_stack_use_after_return=0 \
    UBSAN_OPTIONS=log_path=$dir/report:abort_on_error=1 \
    Rscript tools/run-tests.R "$dir" || status=$?
else
  R -d "valgrind -q --error-exitcode=99 --log-file=$dir/report.%p" \
    --no-echo --no-restore --file=tools/run-tests.R --args "$dir" || status=$?
fi

# run-tests.R writes its counts at its end: no counts, it died.
counts=$(cat "$dir/counts" 2>/dev/null) || true
# shellcheck disable=SC2086 # four numbers, or "0 1"
record "tests under sanitizers" ${counts:-0 1}

# shellcheck disable=SC2317 # called through item
no_report() {
  found=$(find "$dir" -name 'report*' -size +0)
  [ -z "$found" ] || { echo "$found" | xargs head -n 40; return 1; }
}
item "no sanitizer report" no_report || status=1
exit "$status"
