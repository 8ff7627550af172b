#!/bin/sh
# tools/run-check.sh [options of R CMD check]
# R CMD build, a compilation with all warnings, the spelling, the vignettes, R CMD check --as-cran
# with the tests beside it; counts each into .build/results.tsv and fails when any of them fails.
# --no-tests is for this script, too.
. tools/common.sh

test_environment
# No question to a server: the checks must not hang, or fail, without one.
export _R_CHECK_CRAN_INCOMING_REMOTE_=false _R_CHECK_SYSTEM_CLOCK_=false
export _R_CHECK_CRAN_INCOMING_USE_ASPELL_=false
# Megabytes of the installed package: R's own limit of 5 leaves no room for byte code, without which
# the first calls of a session take several times as long (bench/startup.R).
export _R_CHECK_PKG_SIZES_THRESHOLD_=8
# R looks for cycles of dependencies in CRAN's index, and stops where it finds none. There it gets an
# empty one, and this check finds nothing.
index_there() {
  Rscript -e 'options(timeout = 30)' -e 'repos <- getOption("repos")' \
    -e 'repos[repos == "@CRAN@"] <- "https://cloud.r-project.org"' \
    -e 'quit(status = !nrow(utils::available.packages(repos = repos)))' > /dev/null 2>&1
}
if ! index_there; then
  leave_out "R CMD check: cycles of dependencies on CRAN, whose index cannot be reached"
  mkdir -p "$build/no-cran/src/contrib"
  : > "$build/no-cran/src/contrib/PACKAGES"
  cat > "$build/no-cran/profile.R" <<EOF
if (file.exists("~/.Rprofile")) source("~/.Rprofile")
options(repos = c(CRAN = "file://$build/no-cran"))
EOF
  export R_PROFILE_USER="$build/no-cran/profile.R"
fi
# A suggested package may be absent only where it could not be installed.
[ -z "$(Rscript tools/missing-packages.R)" ] || export _R_CHECK_FORCE_SUGGESTS_=false

# Vignettes need pandoc, which install-deps.sh can install as root only. Without
# it, their code is run all the same, below.
no_vignettes=
Rscript -e 'quit(status = !(requireNamespace("rmarkdown") && rmarkdown::pandoc_available()))' ||
  no_vignettes=yes

# Elapsed seconds of an example: what else runs takes its share of the processors, and so there is
# an item of its own about the processor time.
export _R_CHECK_EXAMPLE_TIMING_THRESHOLD_=60
quick_examples() {
  awk 'NR > 1 && $2 + $3 > 5 { print "slow: " $0; slow = 1 } END { exit slow }' \
    "$build/repalign.Rcheck/repalign-Ex.timings"
}

echo "== R CMD build"
item "R CMD build" build_package "$build" --no-build-vignettes || exit 1

# The installation takes a while on one processor: the next steps run beside it. Debug information
# (-g) would not get into the library, see src/Makevars.
echo 'CFLAGS += -g0 -Wall -Wextra -pedantic' > "$build/Makevars.warnings"
R_MAKEVARS_USER=$build/Makevars.warnings _R_SHLIB_BUILD_OBJECTS_SYMBOL_TABLES_=true \
  install_package "$build/lib" "$tarball" > "$build/compile.log" 2>&1 & installing=$!

echo "== Spelling"
if Rscript -e 'quit(status = !requireNamespace("spelling", quietly = TRUE))'; then
  item "spelling" Rscript tools/spell.R || true
else
  record "spelling" 0 0 1
fi

echo "== Calls between the files of R/"
item "no cycle of calls among more than 4 files" Rscript tools/call-graph.R limit 4 || true

echo "== Installation, compiled with -Wall -Wextra -pedantic"
# R's own headers are included by absolute paths: only our files are counted.
no_warning() { ! grep -E '^[^/].*warning:' "$build/compile.log"; }
item "installation" wait "$installing" || { cat "$build/compile.log"; exit 1; }
item "no compiler warning" no_warning || true

# R CMD check uses one processor, and would begin the tests last: they run beside all that follows,
# two files at a time, and give way to it (nice), because it has the longest way to its end.
testing=
case " $* " in
  *" --no-tests "*) ;;
  *)
    rm -rf "$build/repalign"
    tar -xzf "$tarball" -C "$build" repalign/tests
    run_tests "tests" "$build" 2 nice -n 5 Rscript tools/run-tests.R "$build" all \
      > "$build/tests.log" 2>&1 & testing=$! ;;
esac

echo "== README"
if Rscript -e 'quit(status = !requireNamespace("ggplot2", quietly = TRUE))'; then
  R_LIBS=$build/lib:$R_LIBS item "README shows what its code prints" \
    Rscript tools/readme.R --check || true
else
  record "README" 0 0 1
fi

if [ -n "$no_vignettes" ]; then
  echo "== Vignettes: no pandoc, or no rmarkdown: their code is run, they are not built"
  # shellcheck disable=SC2016 # the $ is R's
  run_vignettes() {
    rm -rf "$build/vignettes" && cp -r vignettes "$build/vignettes" && cd "$build/vignettes" &&
      R_LIBS=$build/lib:$R_LIBS Rscript -e 'knitr::opts_chunk$set(error = FALSE)' \
        -e 'for (file in dir(pattern = "[.]Rmd$")) knitr::knit(file, envir = new.env())'
  }
  if [ -z "$(find vignettes -name '*.Rmd')" ]; then :
  elif Rscript -e 'quit(status = !requireNamespace("knitr"))'; then
    (item "vignettes run, not built" run_vignettes) || true
  else
    record "vignettes" 0 0 1
  fi
else
  echo "== Vignettes"
  # The package is built once more, with its vignettes, which what was just installed makes.
  build_vignettes() {
    rm -rf "$build/vignettes" && mkdir "$build/vignettes" &&
      tar -xzf "$tarball" -C "$build/vignettes" &&
      R_LIBS=$build/lib:$R_LIBS Rscript tools/vignettes.R "$build/vignettes/repalign" &&
      cp -r "$build/vignettes/repalign/inst/doc" "$build/lib/repalign" &&
      (cd "$build" && R CMD build --no-build-vignettes vignettes/repalign)
  }
  item "vignettes" build_vignettes > "$build/vignettes.log" 2>&1 || cat "$build/vignettes.log"
fi

echo "== R CMD check --as-cran"
# Flags that this R was itself compiled with, or that were added above, are not the package's.
_R_CHECK_COMPILATION_FLAGS_KNOWN_="${_R_CHECK_COMPILATION_FLAGS_KNOWN_:-} $(R CMD config CFLAGS)"
_R_CHECK_COMPILATION_FLAGS_KNOWN_="$_R_CHECK_COMPILATION_FLAGS_KNOWN_ -pedantic"
export _R_CHECK_COMPILATION_FLAGS_KNOWN_
rm -rf "$build/repalign.Rcheck"
# --install: what was just installed and what that said. --no-vignettes: they have just been built.
R CMD check --as-cran --no-manual --no-tests --output="$build" "$@" \
  --install="check:$build/compile.log" --library="$build/lib" \
  "$([ -n "$no_vignettes" ] && echo --ignore-vignettes || echo --no-vignettes)" "$tarball" || true
case " $* " in
  *" --no-examples "*) ;;
  *) item "no example takes 5 seconds of processor time" quick_examples || true ;;
esac
Rscript tools/check-log.R "$build/repalign.Rcheck/00check.log" "$results" \
  ${no_vignettes:+"no prebuilt vignette index"}

if [ -n "$testing" ]; then
  echo "== Tests"
  wait "$testing" || true
  tail -n 400 "$build/tests.log"
fi

! awk -F'\t' '$3 > 0' "$results" | grep -q .
