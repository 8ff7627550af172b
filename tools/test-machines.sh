#!/bin/sh
# tools/test-machines.sh [MACHINE...]
# All tests on machines that this one can stand in for:
#   prescott, haswell   OpenBLAS with its kernels for processors that have SSE3, and AVX2
#   reference           the reference BLAS and LAPACK in the place of R's
#   core                one processor core
#   network             no network, not even with itself; and R CMD check, but for tests and examples
# What this machine cannot stand in for is left out, with a message. No compiler and no package is
# installed anew for any of them: numbers that pass through the BLAS differ in their last bits, and
# tests that ask for those fail here.
. tools/common.sh

test_environment
dir=$build/machines
rm -rf "$dir"
mkdir -p "$dir"
build_package "$dir" --no-build-vignettes > "$dir/install.log" 2>&1 &&
  install_package "$dir/lib" "$tarball" >> "$dir/install.log" 2>&1 ||
  { cat "$dir/install.log"; record "installation" 0 1; exit 1; }
tar -xzf "$tarball" -C "$dir"       # the tests run in this copy

# tests_on MACHINE COMMAND...: the command takes the call of R as its last arguments.
tests_on() {
  machine=$1; shift
  echo "== Tests on another machine: $machine"
  run_tests "tests, $machine" "$dir" 2 "$@" Rscript tools/run-tests.R "$dir" all || status=1
}

kernel_of() {       # which of its kernels OpenBLAS takes when it is asked for one
  OPENBLAS_VERBOSE=2 OPENBLAS_CORETYPE=$1 Rscript -e 'invisible(crossprod(diag(2)))' 2>&1 |
    sed -n 's/^Core: //p'
}

openblas() {
  if [ "$(kernel_of "$1")" = "$1" ]; then
    tests_on "OpenBLAS for $1" env OPENBLAS_CORETYPE="$1"
  else
    leave_out "tests with OpenBLAS for $1: R does not use OpenBLAS, or it does not take this kernel"
  fi
}

reference_blas() {
  libraries=
  for name in blas lapack; do
    for folder in /usr/lib/*/"$name" /usr/lib64/"$name" /usr/lib/"$name"; do
      [ -e "$folder/lib$name.so.3" ] || continue
      libraries="$libraries $folder/lib$name.so.3"
      break
    done
  done
  case $(LD_PRELOAD=$libraries Rscript -e 'cat(extSoftVersion()[["BLAS"]])' 2>&1) in
    */blas/libblas*) tests_on "reference BLAS" env LD_PRELOAD="$libraries" ;;
    *) leave_out "tests with the reference BLAS: it is not installed (Debian: libblas3, liblapack3)" ;;
  esac
}

one_core() {
  core=$(taskset -cp $$ 2> /dev/null | sed 's/.*: *\([0-9]*\).*/\1/')
  if [ -n "$core" ]; then
    tests_on "one core" taskset -c "$core"
  else
    leave_out "tests on one core: there is no taskset"
  fi
}

no_network() {
  cut_off=
  for try in "unshare -n" "unshare -rn"; do
    [ -n "$cut_off" ] || ! $try true 2> /dev/null || cut_off=$try
  done
  if [ -n "$cut_off" ]; then
    # shellcheck disable=SC2086 # a command with its options
    tests_on "no network" $cut_off
    echo "== Checks without network"
    $cut_off tools/run-check.sh --no-tests --no-examples || status=1
  else
    leave_out "tests without network: there is no unshare, or it needs more rights"
  fi
}

status=0
[ $# -gt 0 ] || set -- prescott haswell reference core network
for machine; do
  case $machine in
    prescott) openblas Prescott ;;
    haswell) openblas Haswell ;;
    reference) reference_blas ;;
    core) one_core ;;
    network) no_network ;;
    *) echo "There is no machine \"$machine\" in tools/test-machines.sh." >&2; status=1 ;;
  esac
done
exit "$status"
