#!/bin/sh
# Chooses the tests that run under sanitizers (tools/choose-sanitized.R): anew when there is an entry
# point that none of them reaches, and now and then, since new tests may reach what no chosen one does.
. tools/common.sh

tools/install-deps.sh
test_environment
dir=$build/choose
rm -rf "$dir"
mkdir -p "$dir"
printf 'CFLAGS = -O1 -fsanitize-coverage=trace-pc\n' > "$dir/Makevars"
$(R CMD config CC) -O2 -fPIC -shared -o "$dir/trace.so" tools/trace.c -ldl
export LD_PRELOAD="$dir/trace.so"       # what is compiled to note where it is calls this
build_package "$dir" --no-build-vignettes > "$dir/install.log" 2>&1 &&
  R_MAKEVARS_USER=$dir/Makevars install_package "$dir/lib" "$tarball" >> "$dir/install.log" 2>&1 ||
  { cat "$dir/install.log"; exit 1; }
tar -xzf "$tarball" -C "$dir"
Rscript tools/choose-sanitized.R "$dir"
