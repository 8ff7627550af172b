# shellcheck shell=sh
# Read after tools/common.sh by the scripts that run the C code under AddressSanitizer and UBSan
# (or, where the compiler has none, under valgrind).

dir=$build/sanitizer
asan_options=detect_stack_use_after_return=0:clear_shadow_mmap_threshold=1073741824

# Sets $tool, $flags and $preload; fails where there is neither.
choose_sanitizer() {
  rm -rf "$dir"
  mkdir -p "$dir"
  cc=$(R CMD config CC)
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
    # shellcheck disable=SC2034 # for the caller
    tool="valgrind (no libasan here)"
    flags=
  else
    echo "$cc has no AddressSanitizer (libasan) and there is no valgrind: left out"
    return 1
  fi
}

# Prints the full path of a library of the compiler; nothing if there is none.
compiler_library() { $cc -print-file-name="$1" 2>/dev/null | grep / || true; }

# Into $dir/lib; sets $tarball.
install_sanitized() {
  printf 'CFLAGS = -g1 -O1 %s\nLDFLAGS += %s\nDEBUG_INFO =\n' "$flags" "$flags" > "$dir/Makevars"
  item "sanitizer: R CMD build" build_package "$dir" --no-build-vignettes || return 1
  # --no-test-load: the library cannot be loaded without the preloaded sanitizer. Byte code and help
  # take longer to make than the chosen tests take without them; only all tests read help.
  if [ "${1:-}" = all ]; then set -- ; else set -- --no-docs; fi
  export R_MAKEVARS_USER="$dir/Makevars"
  item "sanitizer: installation" install_package "$dir/lib" "$tarball" \
    --no-test-load --no-byte-compile "$@"
}

# under_sanitizer SCRIPT ARGUMENT...: runs an R script.
# Reports go into files: tests may start processes of their own and drop what
# these print. detect_leaks: R does not free what it holds at its end.
# detect_stack_use_after_return: R's garbage collector scans the real stack.
# clear_shadow_mmap_threshold: the notes on a large piece of memory are cleared in place, not mapped
# anew: the system took a seventh of all the time for that.
# abort: UBSan beside ASan logs to the terminal alone; it aborts, and ASan then
# writes the report.
under_sanitizer() {
  script=$1; shift
  if [ -n "$flags" ]; then
    LD_PRELOAD=$preload \
      ASAN_OPTIONS=log_path=$dir/report:handle_abort=1:detect_leaks=0:$asan_options \
      UBSAN_OPTIONS=log_path=$dir/report:abort_on_error=1 \
      Rscript "$script" "$@"
  else
    R -d "valgrind -q --error-exitcode=99 --log-file=$dir/report.%p" \
      --no-echo --no-restore --file="$script" --args "$@"
  fi
}

# fuzz_sanitized CALLS FIRST-SEED FOLDER, see tools/fuzz.R
# shellcheck disable=SC2317 # called through item
fuzz_sanitized() {
  (export R_LIBS="$dir/lib:$R_LIBS"; under_sanitizer tools/fuzz.R "$@")
}

# fuzz_files_sanitized FILES FIRST-SEED FOLDER, see tools/fuzz-files.R
# shellcheck disable=SC2317 # called through item
fuzz_files_sanitized() {
  (export R_LIBS="$dir/lib:$R_LIBS"; under_sanitizer tools/fuzz-files.R "$@")
}

# shellcheck disable=SC2317 # called through item
no_report() {
  found=$(find "$dir" -maxdepth 1 -name 'report*' -size +0)
  [ -z "$found" ] || { echo "$found" | xargs head -n 40; return 1; }
}
