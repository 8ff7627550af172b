#!/bin/sh
# tools/run-fuzz.sh [CALLS [PROCESSES [SEED [FILES]]]]
# tools/fuzz.R under sanitizers: CALLS calls (100000) in PROCESSES processes (2), which take
# the seeds from SEED (1) on, each its own range. What they say is in .build/fuzz/log-*. Beside
# them tools/fuzz-files.R reads FILES mutated files (100000).
. tools/common.sh
. tools/sanitizer.sh

# passive: idle threads do not spin, of which there are more than processors
export OPENBLAS_NUM_THREADS=1 OMP_WAIT_POLICY=passive
calls=${1:-100000} processes=${2:-2} seed=${3:-1} files=${4:-100000}
each=$(( (calls + processes - 1) / processes ))
folder=$build/fuzz
rm -rf "$folder"
mkdir -p "$folder"
choose_sanitizer || { record "fuzz" 0 0 1; exit 0; }
install_sanitized || exit 1

echo "== Fuzz under $tool: $processes processes of $each calls, from seed $seed"
pids=
for process in $(seq "$processes"); do
  first=$(( seed + (process - 1) * each ))
  fuzz_sanitized "$each" "$first" "$folder" > "$folder/log-$first" 2>&1 &
  pids="$pids $!"
done
fuzz_files_sanitized "$files" "$seed" "$folder/files" > "$folder/log-files" 2>&1 &
files_pid=$!
status=0 files_status=0
for pid in $pids; do wait "$pid" || status=1; done
wait "$files_pid" || files_status=1

for process in $(seq "$processes"); do
  first=$(( seed + (process - 1) * each ))
  echo "== Seeds $first to $(( first + each - 1 ))"
  cat "$folder/log-$first"
  # no counts: it died
  [ -s "$folder/counts-$first" ] || {
    status=1
    echo "Died at seed $(cat "$folder/seed-$first"): the rest begins at the seed after it."
  }
done

echo "== All processes"
cat "$folder"/counts-* 2>/dev/null | awk -F'\t' '
  { sum[$1 "\t" $2] += $3; total[$1] += $3 }
  END { for (key in sum) if (key !~ /^results/) print sum[key] "\t" key
        printf "%d calls, %d results, %d errors, %d findings\n",
               total["calls"], total["results"], total["errors"], total["findings"] }' | sort -rn
item "fuzz, $(( each * processes )) calls" [ "$status" = 0 ] || true
echo "== Mutated files"
cat "$folder/log-files"
item "fuzz, $files mutated files" [ "$files_status" = 0 ] || status=1
item "no sanitizer report" no_report || status=1
exit "$status"
