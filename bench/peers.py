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
        concentricity_difference, uniformity_difference,
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
            found = timed(known, x, y, int(calls)) if known else ("NaN", "NaN")
            print(*found, file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
