"""The test of maps by MNE-Python, for bench/maps.R.

python3 maps.py FILE CORRECTION FLIPS CUTOFF STEP: prints the seconds of a call, the seconds of
processors, and the largest statistic: the mass of a cluster, or TFCE in steps of STEP. FILE has
doubles: the number of axes of a map, the numbers of subjects and of places along each axis, then
the maps, the first axis of subjects the slowest and places in C order.
"""

import sys
import time

import mne
import numpy as np

values = np.fromfile(sys.argv[1])
axes = int(values[0])
sizes = values[1:axes + 2].astype(int)
maps = values[axes + 2:].reshape(sizes)
correction, flips, cutoff, step = sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]
threshold = float(cutoff) if correction == "cluster_mass" else dict(start=0, step=float(step))
wall, work = time.perf_counter(), time.process_time()
statistic, clusters, p, null = mne.stats.permutation_cluster_1samp_test(
    maps, threshold=threshold, n_permutations=flips, tail=0, n_jobs=1, seed=1, verbose=False)
wall, work = time.perf_counter() - wall, time.process_time() - work
if correction == "cluster_mass":
    largest = max([abs(statistic[one].sum()) for one in clusters], default=0)
else:
    largest = np.abs(statistic).max()
print(wall, work, largest)
