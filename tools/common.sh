# shellcheck shell=sh
# Read (". tools/common.sh") by the Makefile and the scripts in this folder,
# from the root of the repository: one environment and a few functions.

set -eu

root=$(pwd)
build=$root/.build              # everything that is built
results=$build/results.tsv      # what was counted: item, passed, failed, skipped, warned
mkdir -p "$build"

# Packages that the system does not have go into the repository's own library.
export R_LIBS="$root/.Rlibrary${R_LIBS:+:$R_LIBS}"

# Messages are read by these scripts: keep them English, and the text UTF-8
# (a bare Debian has the C locale).
export LANGUAGE=en
[ "$(locale charmap 2>/dev/null)" = UTF-8 ] || export LC_ALL=C.UTF-8

# The shared folder next to the repository, for the tests that read it.
if [ -z "${REPALIGN_SHARED:-}" ] && [ -d "$root/../shared" ]; then
  REPALIGN_SHARED=$(cd "$root/../shared" && pwd)
  export REPALIGN_SHARED
fi

# What tests run with. No test skips itself. CRAN asks for few threads: two are enough to see them
# meet, and idle ones do not spin (passive), since more processes than processors run side by side.
# The package's byte code is made as it is installed: what R makes while it runs is for the tests
# themselves, of which most run once.
test_environment() {
  export NOT_CRAN=true REPALIGN_EXTENDED_TESTS=true OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=2
  export OMP_WAIT_POLICY=passive R_ENABLE_JIT=0
}

have() { command -v "$1" >/dev/null 2>&1; }

# build_package FOLDER [options of R CMD build]: sets $tarball. Built from a copy without what was
# built before, so that it is quick and two builds at a time do not disturb each other.
build_package() {
  rm -rf "$1/source" "$1"/repalign_*.tar.gz
  mkdir -p "$1/source/repalign"
  tar -C "$root" --exclude=./.git --exclude=./.build --exclude=./.Rlibrary \
    --exclude=./demo-output -cf - . | tar -C "$1/source/repalign" -xf -
  (into=$1; shift; cd "$into" && R CMD build "$@" source/repalign && rm -r source) || return 1
  # shellcheck disable=SC2034 # for the caller
  tarball=$(echo "$1"/repalign_*.tar.gz)
}

# install_package LIBRARY TARBALL [options of R CMD INSTALL]
install_package() {
  rm -rf "$1"
  mkdir -p "$1"
  (library=$1; shift; R CMD INSTALL --library="$library" "$@")
}

start_results() {
  rm -rf "$results" "$build/left-out" "$build/repalign.Rcheck"
  date +%s > "$build/started"
}

# leave_out TEXT: says now, and in the summary, what this machine cannot do.
leave_out() { echo "Left out: $*" | tee -a "$build/left-out"; }

# record ITEM PASSED FAILED [SKIPPED [WARNED]]
record() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "${4:-0}" "${5:-0}" >> "$results"; }

# item NAME COMMAND...: runs the command and counts it as passed or failed.
item() {
  name=$1; shift
  # Mind: the shell's "set -e" does not hold inside a command tested by "if".
  if "$@"; then record "$name" 1 0; else record "$name" 0 1; return 1; fi
}

# run_tests NAME FOLDER PROCESSES COMMAND...: the command is tools/run-tests.R FOLDER, and what it
# needs; so many processes share the files. A process that does not reach its end counts as a failure.
run_tests() {
  tests=$1 folder=$2 processes=$3; shift 3
  rm -rf "$folder"/taken "$folder"/counts.* "$folder"/tests.*.log
  mkdir "$folder/taken"
  begun=
  for process in $(seq "$processes"); do
    "$@" > "$folder/tests.$process.log" 2>&1 &
    begun="$begun $!"
  done
  for process in $begun; do wait "$process" || true; done
  cat "$folder"/tests.*.log
  counts=$(cat "$folder"/counts.* 2> /dev/null | awk -v processes="$processes" '
    { passed += $1; failed += $2; skipped += $3; warned += $4 }
    END { print passed + 0, failed + processes - NR, skipped + 0, warned + 0 }')
  # shellcheck disable=SC2086 # four numbers
  record "$tests" $counts
  [ "$(echo "$counts" | cut -d ' ' -f 2)" = 0 ]
}
