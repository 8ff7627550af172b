"""All pairs of representations as ten lines of numpy make them, for bench/grid.R.

python3 grid.py FILE MEASURE CALLS: prints the least seconds of a call, the peak of memory in MB and
the sum of the scores. FILE has doubles: how many layers, stimuli and neurons, then the layers.
"""

import sys
import time

import numpy as np


def by_norms(products):
    norms = np.sqrt(np.diag(products))
    return products / norms[:, None] / norms[None, :]


def cka(x):
    x = x - x.mean(1, keepdims=True)
    grams = (x @ x.transpose(0, 2, 1)).reshape(len(x), -1)
    return by_norms(grams @ grams.T)


def ranks(values):
    order = np.argsort(values, axis=1)
    result = np.empty_like(values)
    np.put_along_axis(result, order, np.arange(values.shape[1], dtype=float)[None, :], axis=1)
    return result


def rsa(x):
    x = x - x.mean(2, keepdims=True)
    x /= np.linalg.norm(x, axis=2, keepdims=True)
    upper = np.triu_indices(x.shape[1], 1)
    values = ranks(1 - np.stack([(one @ one.T)[upper] for one in x]))
    values -= values.mean(1, keepdims=True)
    return by_norms(values @ values.T)


def distances(x):
    squares = (x * x).sum(1)
    d2 = squares[:, None] + squares[None, :] - 2 * (x @ x.T)
    np.fill_diagonal(d2, 0)
    return np.sqrt(np.maximum(d2, 0))


def double_centered(d):
    means = d.mean(0)
    return (d - means[:, None] - means[None, :] + means.mean()).ravel()


def distance_correlation(x):
    values = np.stack([double_centered(distances(one)) for one in x])
    return np.sqrt(np.maximum(by_norms(values @ values.T), 0))


def mutual_knn(x, k=10):
    x = x / np.linalg.norm(x, axis=2, keepdims=True)
    n = x.shape[1]
    graphs = np.zeros((len(x), n, n), dtype=np.float32)
    for graph, one in zip(graphs, x):
        similar = one @ one.T
        np.fill_diagonal(similar, -np.inf)
        np.put_along_axis(graph, np.argpartition(-similar, k, axis=1)[:, :k], 1, axis=1)
    graphs = graphs.reshape(len(x), -1)
    return graphs @ graphs.T / (n * k)


# compare() of rsatoolbox 0.3, of which the file has two tables of dissimilarities, an RDM a row.


def cosine(a, b):
    products = np.einsum("ij,kj->ik", a, b)
    products /= np.sqrt(np.einsum("ij,ij->i", a, a))[:, None]
    return products / np.sqrt(np.einsum("ij,ij->i", b, b))[None, :]


def less_means(a):
    return a - a.mean(1, keepdims=True)


def centered_ranks(a):
    return less_means(ranks(a) + 1)


def rho_a(a, b):
    n = a.shape[1]
    return 12 * np.einsum("ij,kj->ik", centered_ranks(a), centered_ranks(b)) / (n**3 - n)


def weighted(a, n):
    first, second = np.triu_indices(n, 1)
    matrices = np.zeros((len(a), n, n))
    matrices[:, first, second] = matrices[:, second, first] = a
    means = matrices.mean(1)
    matrices += means.mean(1)[:, None, None] - means[:, :, None] - means[:, None, :]
    diagonals = matrices[:, np.arange(n), np.arange(n)]
    return np.hstack([np.sqrt(2) * matrices[:, first, second], diagonals])


COMPARE = {
    "cosine": cosine,
    "pearson": lambda a, b: cosine(less_means(a), less_means(b)),
    "spearman": lambda a, b: cosine(centered_ranks(a), centered_ranks(b)),
    "rho_a": rho_a,
    "whitened_cosine": lambda a, b: cosine(weighted(a, size_of(a)), weighted(b, size_of(b))),
}


def size_of(a):
    return int(round((1 + np.sqrt(1 + 8 * a.shape[1])) / 2))


def peak():
    with open("/proc/self/status") as status:
        line = [line for line in status if line.startswith("VmHWM")][0]
    return int(line.split()[1]) / 1024


def main(path, name, calls):
    values = np.fromfile(path)
    sizes = [int(size) for size in values[:3]]
    if name in COMPARE:
        pairs = sizes[2]
        a, b = np.split(values[3:].reshape(-1, pairs), [sizes[0]])
        run = lambda: COMPARE[name](a, b)
    else:
        x = np.ascontiguousarray(values[3:].reshape(sizes))
        run = lambda: {f.__name__: f for f in [cka, rsa, distance_correlation, mutual_knn]}[name](x)
    del values
    least = np.inf
    for _ in range(calls):
        started = time.perf_counter()
        scores = run()
        least = min(least, time.perf_counter() - started)
    print(least, peak(), scores.sum())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
