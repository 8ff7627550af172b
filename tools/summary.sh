#!/bin/sh
# tools/summary.sh STATUS
# Prints what .build/results.tsv counted, then "N passed, N failed, N skipped" on
# a line of its own; fails when anything failed. STATUS: not 0 when a script failed.
. tools/common.sh

touch "$results"
sum() { awk -F'\t' -v column="$1" '{ n += $column } END { print n + 0 }' "$results"; }

# Where the shared folder and the packages are there, nothing may be skipped.
rule="nothing skipped"
if [ -n "${REPALIGN_SHARED:-}" ] && [ -d "$REPALIGN_SHARED" ] && have Rscript &&
   [ -s "$results" ] && ! grep -q "^$rule" "$results" &&
   [ -z "$(Rscript tools/missing-packages.R 2>/dev/null)" ]; then
  item "$rule" [ "$(sum 4)" = 0 ] || true
fi
# A script that died before it recorded anything must not pass.
if [ "$(sum 3)" = 0 ] && { [ "$1" != 0 ] || [ "$(sum 2)" = 0 ]; }; then
  record "unfinished (status $1)" 0 1
fi

echo
echo "== Summary"
awk -F'\t' 'BEGIN { printf "%-28s %7s %7s %7s %7s\n", "", "passed", "failed", "skipped", "warned" }
            { printf "%-28s %7d %7d %7d %7d\n", $1, $2, $3, $4, $5 }' "$results"
echo "R CMD check: $(grep -s '^Status: ' "$build/repalign.Rcheck/00check.log" || echo 'no status')"
cat "$build/left-out" 2> /dev/null || true
started=$(cat "$build/started" 2>/dev/null || date +%s)
echo "Elapsed: $(( $(date +%s) - started )) seconds"
echo "$(sum 2) passed, $(sum 3) failed, $(sum 4) skipped"
[ "$(sum 3)" = 0 ]
