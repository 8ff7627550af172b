"""Measures as published Python code computes them with numpy, timed for bench/peers.R."""

import os
import sys
import time

import numpy as np


def center(x):
    return x - x.mean(0)


def cka(x, y):
    x, y = center(x), center(y)
    cross = np.linalg.norm(x.T @ y) ** 2
    return cross / (np.linalg.norm(x.T @ x) * np.linalg.norm(y.T @ y))


def angular_cka(x, y):
    return np.arccos(min(1.0, cka(x, y)))


def hsic(x, y):
    return np.linalg.norm(center(x).T @ center(y)) ** 2 / (len(x) ** 2 * x.shape[1] * y.shape[1])


def gaussian(x):
    d = distances(x)
    width = np.median(d[np.triu_indices(len(x), 1)])
    return np.exp(-(d**2) / (2 * width**2))


def cka_rbf(x, y):
    a, b = double_centered(gaussian(x)), double_centered(gaussian(y))
    return (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())


def normalized(x):
    x = center(x)
    return x / np.linalg.norm(x)


def nuclear(x, y):
    return np.linalg.svd(x.T @ y, compute_uv=False).sum()


def procrustes(x, y):
    return np.sqrt(2 - 2 * nuclear(normalized(x), normalized(y)))


def angular_shape(x, y):
    return np.arccos(min(1.0, nuclear(normalized(x), normalized(y))))


def procrustes_size_shape(x, y):
    x, y = center(x), center(y)
    squares = np.linalg.norm(x) ** 2 + np.linalg.norm(y) ** 2
    return np.sqrt(squares - 2 * nuclear(x, y))


def row_cosines(x, y):
    return (x * y).sum(1) / (np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1))


def aligned_cosine(x, y):
    u, _, vt = np.linalg.svd(x.T @ y)
    return row_cosines(x @ (u @ vt), y).mean()


def standardized(x):
    x = center(x)
    return x / np.linalg.norm(x, axis=0)


def soft_correlation_match(x, y):
    c = standardized(x).T @ standardized(y)
    return (c.max(0).mean() + c.max(1).mean()) / 2


def linear_regression(x, y):
    x, y = center(x), center(y)
    q, _ = np.linalg.qr(y)
    return np.linalg.norm(q.T @ x) ** 2 / np.linalg.norm(x) ** 2


def correlations(qx, qy):
    return np.linalg.svd(qx.T @ qy, compute_uv=False)


def cca(x, y):
    return correlations(np.linalg.qr(center(x))[0], np.linalg.qr(center(y))[0]).mean()


def leading(x, share=0.99):
    u, s, _ = np.linalg.svd(center(x), full_matrices=False)
    kept = np.searchsorted(np.cumsum(s**2) / np.sum(s**2), share) + 1
    return u[:, :kept]


def svcca(x, y):
    return correlations(leading(x), leading(y)).mean()


def pwcca(x, y):
    x, y = center(x), center(y)
    qx, qy = np.linalg.qr(x)[0], np.linalg.qr(y)[0]
    u, rho, _ = np.linalg.svd(qx.T @ qy, full_matrices=False)
    weights = np.abs((qx @ u).T @ x).sum(1)
    return (weights * rho).sum() / weights.sum()


def eigenspace_overlap(x, y):
    qx = np.linalg.svd(x, full_matrices=False)[0]
    qy = np.linalg.svd(y, full_matrices=False)[0]
    return np.linalg.norm(qx.T @ qy) ** 2 / max(x.shape[1], y.shape[1])


def gulp(x, y):
    n = len(x)
    x, y = center(x), center(y)
    inverse_x = np.linalg.inv(x.T @ x / n)
    inverse_y = np.linalg.inv(y.T @ y / n)
    cross = x.T @ y / n
    shared = np.trace(inverse_x @ cross @ inverse_y @ cross.T)
    return np.sqrt(x.shape[1] + y.shape[1] - 2 * shared)


def distances(x):
    squares = (x * x).sum(1)
    d2 = squares[:, None] + squares[None, :] - 2 * (x @ x.T)
    np.fill_diagonal(d2, 0)
    return np.sqrt(np.maximum(d2, 0))


def ranks(values):
    order = np.argsort(values)
    result = np.empty(len(values))
    result[order] = np.arange(len(values))
    return result


def rsa(x, y):
    upper = np.triu_indices(len(x), 1)
    return np.corrcoef(ranks(distances(x)[upper]), ranks(distances(y)[upper]))[0, 1]


def rsa_correlation(x, y):
    upper = np.triu_indices(len(x), 1)
    a, b = 1 - np.corrcoef(x)[upper], 1 - np.corrcoef(y)[upper]
    return np.corrcoef(ranks(a), ranks(b))[0, 1]


def double_centered(d):
    means = d.mean(0)
    return d - means[:, None] - means[None, :] + means.mean()


def distance_correlation(x, y):
    a, b = double_centered(distances(x)), double_centered(distances(y))
    return np.sqrt((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))


def rsm_difference(x, y):
    return np.linalg.norm(distances(x) - distances(y))


def nearest(d, k=10):
    np.fill_diagonal(d, np.inf)
    return np.argpartition(d, k, axis=1)[:, :k]


def mutual_knn(x, y):
    a, b = nearest(distances(x)), nearest(distances(y))
    return np.mean([len(np.intersect1d(p, q, assume_unique=True)) / 10 for p, q in zip(a, b)])


def knn_jaccard(x, y):
    a, b = nearest(distances(x)), nearest(distances(y))
    shared = np.array([len(np.intersect1d(p, q, assume_unique=True)) for p, q in zip(a, b)])
    return np.mean(shared / (20 - shared))


def ordered_neighbours(x, k):
    """The k nearest by cosine, nearest first."""
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    similarity = unit @ unit.T
    np.fill_diagonal(similarity, -np.inf)
    some = np.argpartition(-similarity, k, axis=1)[:, :k]
    order = np.argsort(-np.take_along_axis(similarity, some, 1), axis=1)
    return np.take_along_axis(some, order, 1)


def common_subsequence(a, b):
    before = [0] * (len(b) + 1)
    for p in a:
        now = [0]
        for j, q in enumerate(b):
            now.append(before[j] + 1 if p == q else max(before[j + 1], now[j]))
        before = now
    return before[-1]


def levenshtein(a, b):
    before = list(range(len(b) + 1))
    for i, p in enumerate(a):
        now = [i + 1]
        for j, q in enumerate(b):
            now.append(min(before[j] + (p != q), before[j + 1] + 1, now[j] + 1))
        before = now
    return before[-1]


def over_rows(of, x, y, k=10):
    a, b = ordered_neighbours(x, k).tolist(), ordered_neighbours(y, k).tolist()
    return np.mean([of(p, q) for p, q in zip(a, b)])


def lcs_knn(x, y):
    return over_rows(common_subsequence, x, y)


def edit_distance_knn(x, y):
    return 1 - over_rows(levenshtein, x, y) / 10


def kernel_cosine(a, b):
    a, b = a - a.mean(1, keepdims=True), b - b.mean(1, keepdims=True)
    return (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())


def neighbour_distances(x, k):
    d = distances(x)
    near = nearest(d, k)
    return near, np.take_along_axis(d, near, 1)


def manifold_kernel(x, k=15, steps=64):
    """Each row's width by bisection, as umap-learn finds it."""
    near, d = neighbour_distances(x, k)
    gap = d - d.min(1, keepdims=True)
    low, high = np.zeros(len(x)), np.full(len(x), np.inf)
    width = gap.mean(1)
    for _ in range(steps):
        above = np.exp(-gap / width[:, None]).sum(1) > np.log2(k)
        low, high = np.where(above, low, width), np.where(above, width, high)
        width = np.where(np.isinf(high), 2 * width, (low + high) / 2)
    kernel = np.eye(len(x))
    np.put_along_axis(kernel, near, np.exp(-gap / width[:, None]), 1)
    return kernel


def mka(x, y):
    return kernel_cosine(manifold_kernel(x), manifold_kernel(y))


def kcka(x, y, k=15):
    def kernel(x):
        near, d = neighbour_distances(x, k)
        result = np.eye(len(x))
        np.put_along_axis(result, near, np.exp(-d / (2 * np.median(d))), 1)
        return result

    return kernel_cosine(kernel(x), kernel(y))


def heat_trace(x, times, k=5):
    near = nearest(distances(x), k)
    graph = np.zeros((len(x), len(x)))
    np.put_along_axis(graph, near, 1, 1)
    graph = np.maximum(graph, graph.T)
    root = 1 / np.sqrt(graph.sum(1))
    values = 1 - np.linalg.eigvalsh(root[:, None] * graph * root)
    return np.exp(-times[:, None] * values).sum(1) / len(x)


def imd(x, y):
    if len(x) > 1000:
        raise ValueError("eigenvalues of so large a graph take minutes")
    times = np.logspace(-1, 1, 256)
    gap = np.abs(heat_trace(x, times) - heat_trace(y, times))
    return 1e6 * (np.exp(-2 * (times + 1 / times)) * gap).max()


def nelder_mead(f, start, steps=0.00025, close=1e-4):
    """The least value, with the steps and tolerances of scipy.optimize."""
    points = [start] + [start + steps * axis for axis in np.eye(len(start))]
    values = [f(p) for p in points]
    while True:
        order = np.argsort(values)
        points, values = [points[i] for i in order], [values[i] for i in order]
        apart = max(np.abs(p - points[0]).max() for p in points)
        if apart <= close and values[-1] - values[0] <= close:
            return values[0]
        middle = np.mean(points[:-1], 0)
        away = middle - points[-1]
        tried = [middle + away]
        found = [f(tried[0])]
        if found[0] < values[0]:
            tried.append(middle + 2 * away)
        elif found[0] >= values[-2]:
            tried.append(middle + (0.5 if found[0] < values[-1] else -0.5) * away)
        found += [f(p) for p in tried[1:]]
        best = int(np.argmin(found))
        if found[best] < values[-1]:
            points[-1], values[-1] = tried[best], found[best]
            continue
        points = [points[0]] + [(p + points[0]) / 2 for p in points[1:]]
        values = [values[0]] + [f(p) for p in points[1:]]


def riemann(x, y):
    """As rsatoolbox: a factor and noise are searched by Nelder and Mead."""
    if len(x) > 400 or y.shape[1] < len(y) - 1:
        raise ValueError("too many stimuli, or the second moments of y are singular")
    gx, gy = ((z[1:] - z[0]) @ (z[1:] - z[0]).T for z in (x, y))
    noise = np.eye(len(x) - 1) + 1
    inverse = np.linalg.inv(np.linalg.cholesky(gy))

    def distance(theta):
        moved = np.exp(theta[0]) * gx + np.exp(theta[1]) * noise
        return np.sqrt((np.log(np.linalg.eigvalsh(inverse @ moved @ inverse.T)) ** 2).sum())

    return -nelder_mead(distance, np.zeros(2))


def magnitude_difference(x, y):
    return abs(np.linalg.norm(x.mean(0)) - np.linalg.norm(y.mean(0)))


def concentricity(x):
    mean = x.mean(0)
    return (x @ mean / (np.linalg.norm(x, axis=1) * np.linalg.norm(mean))).mean()


def concentricity_difference(x, y):
    return abs(concentricity(x) - concentricity(y))


def uniformity(x):
    return np.log(np.exp(-2 * distances(x) ** 2).mean())


def uniformity_difference(x, y):
    return abs(uniformity(x) - uniformity(y))


MEASURES = {
    f.__name__: f
    for f in [
        cka, procrustes, angular_shape, procrustes_size_shape, aligned_cosine,
        soft_correlation_match, linear_regression, cca, svcca, pwcca, eigenspace_overlap, gulp,
        rsa, distance_correlation, rsm_difference, mutual_knn, magnitude_difference,
        concentricity_difference, uniformity_difference, angular_cka, hsic, cka_rbf,
        rsa_correlation, knn_jaccard, lcs_knn, edit_distance_knn, mka, kcka, imd, riemann,
    ]
}
MEASURES["rv"] = cka


def read_matrix(path):
    values = np.fromfile(path)
    columns, rows = int(values[0]), int(values[1])
    return np.ascontiguousarray(values[2:].reshape(rows, columns))


def timed(run, x, y, calls):
    least = np.inf
    for _ in range(calls):
        started = time.perf_counter()
        value = run(x, y)
        least = min(least, time.perf_counter() - started)
    return least, value


def main(folder):
    x, y = (read_matrix(os.path.join(folder, name)) for name in ("x", "y"))
    with open(os.path.join(folder, "questions")) as questions, open(
        os.path.join(folder, "answers"), "w"
    ) as answers:
        for question in questions:
            name, calls = question.split()
            known = MEASURES.get(name)
            try:
                found = timed(known, x, y, int(calls)) if known else ("NaN", "NaN")
            except (ValueError, np.linalg.LinAlgError):
                found = ("NaN", "NaN")
            print(*found, file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
