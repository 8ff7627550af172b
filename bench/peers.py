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


def hsic_stimulus(a, b):
    """Of Gram matrices, whose diagonals are set to 0."""
    n = len(a)
    rows = a.sum(0) @ b.sum(0)
    return (a * b).sum() + a.sum() * b.sum() / ((n - 1) * (n - 2)) - 2 * rows / (n - 2)


def cka_stimulus(x, y):
    a, b = x @ x.T, y @ y.T
    np.fill_diagonal(a, 0)
    np.fill_diagonal(b, 0)
    return hsic_stimulus(a, b) / np.sqrt(hsic_stimulus(a, a) * hsic_stimulus(b, b))


def rsa_pearson(x, y):
    upper = np.triu_indices(len(x), 1)
    return np.corrcoef(distances(x)[upper], distances(y)[upper])[0, 1]


# ---- work other than one score: functions that prepare what is given, and return what is timed


SCALES = 10.0 ** np.array([-4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4])


def by_fold(x, y, predict):
    """The weighted R squared of predictions of five folds."""
    y, fold = y[:, :100], np.arange(len(x)) % 5

    def run():
        error = total = 0
        for k in range(5):
            train, test = fold != k, fold == k
            predicted = predict(x[train], y[train], x[test])
            error += ((y[test] - predicted) ** 2).sum()
            total += ((y[test] - y[train].mean(0)) ** 2).sum()
        return 1 - error / total

    return run


def penalties(x):
    return SCALES * (center(x) ** 2).sum() / min(len(x) - 1, x.shape[1])


def encode_nested(x, y):
    """One SVD a fold; the penalty with the least error of rows that are left out."""
    alphas = penalties(x)

    def predict(x, y, new):
        mean, my = x.mean(0), y.mean(0)
        u, s, vt = np.linalg.svd(x - mean, full_matrices=False)
        yc = y - my
        kept = s > 1e-10 * s[0]
        u, s, vt = u[:, kept], s[kept], vt[kept]
        cross, squares, least = u.T @ yc, u**2, np.inf
        for alpha in alphas:
            shrink = s**2 / (s**2 + alpha)
            left = (yc - (u * shrink) @ cross) / (1 - 1 / len(x) - squares @ shrink)[:, None]
            error = (left**2).sum()
            if error < least:
                least, best = error, alpha
        return (new - mean) @ (vt.T @ ((s / (s**2 + best))[:, None] * cross)) + my

    return by_fold(x, y, predict)


def encode_ridgecv(x, y):
    from sklearn.linear_model import RidgeCV

    alphas = penalties(x)
    return by_fold(x, y, lambda x, y, new: RidgeCV(alphas=alphas).fit(x, y).predict(new))


def encode_one(x, y):
    def predict(x, y, new):
        mean, my = x.mean(0), y.mean(0)
        a, yc, new = x - mean, y - my, new - mean
        n, d = a.shape
        if d <= n:
            return new @ np.linalg.solve(a.T @ a + 10 * np.eye(d), a.T @ yc) + my
        return new @ (a.T @ np.linalg.solve(a @ a.T + 10 * np.eye(n), yc)) + my

    return by_fold(x, y, predict)


def encode_pls(x, y):
    from sklearn.cross_decomposition import PLSRegression

    def predict(x, y, new):
        return PLSRegression(20, scale=False).fit(x, y).predict(new)

    return by_fold(x, y, predict)


def held_out(x, y):
    """The angle of the rotation that the other folds give."""
    fold = np.arange(len(x)) % 5

    def run():
        angles = []
        for k in range(5):
            train, test = fold != k, fold == k
            mx, my = x[train].mean(0), y[train].mean(0)
            u, _, vt = np.linalg.svd((x[train] - mx).T @ (y[train] - my), full_matrices=False)
            a, b = x[test] - mx, y[test] - my
            cosine = ((a @ u) * (b @ vt.T)).sum() / (np.linalg.norm(a) * np.linalg.norm(b))
            angles.append(np.arccos(cosine))
        return np.mean(angles)

    return run


def rdms_pearson(x, y):
    x, y = np.abs(x), np.abs(y[:5])

    def units(z):
        z = z - z.mean(1, keepdims=True)
        return z / np.linalg.norm(z, axis=1, keepdims=True)

    return lambda: (units(x) @ units(y).T).mean()


def rdms_cosine(x, y):
    x = np.abs(x)

    def run():
        unit = x / np.linalg.norm(x, axis=1, keepdims=True)
        return (unit @ unit.T)[np.triu_indices(len(x), 1)].mean()

    return run


def searchlight(x, y):
    n, d = x.shape
    near = [np.arange(k, k + 33) % d for k in range(d)]
    upper = np.triu_indices(n, 1)

    def run():
        model = 1 - np.corrcoef(y[:, :100])[upper]
        model = model - model.mean()
        model /= np.linalg.norm(model)
        scores = []
        for at in near:
            rdm = 1 - np.corrcoef(x[:, at])[upper]
            rdm = rdm - rdm.mean()
            scores.append(rdm @ model / np.linalg.norm(rdm))
        return np.mean(scores)

    return run


def soft_matching(x, y):
    from scipy.optimize import linear_sum_assignment

    def run():
        a, b = normalized(x), normalized(y)
        d = x.shape[1]
        costs = (a * a).sum(0)[:, None] + (b * b).sum(0) - 2 * a.T @ b
        return np.sqrt(costs[linear_sum_assignment(costs)].sum())

    return run


def calibrate_cka(x, y):
    rng = np.random.default_rng(1)

    def run():
        a, b = center(x), center(y)
        score = np.linalg.norm(a.T @ b)
        null = [np.linalg.norm(a.T @ b[rng.permutation(len(b))]) for _ in range(99)]
        sizes = np.linalg.norm(a.T @ a) * np.linalg.norm(b.T @ b)
        return score**2 / sizes + 0 * max(null)

    return run


WORKS = {
    f.__name__: f
    for f in [
        encode_nested, encode_ridgecv, encode_one, encode_pls, held_out, rdms_pearson,
        rdms_cosine, searchlight, soft_matching, calibrate_cka,
    ]
}

MEASURES = {
    f.__name__: f
    for f in [
        cka, procrustes, angular_shape, procrustes_size_shape, aligned_cosine,
        soft_correlation_match, linear_regression, cca, svcca, pwcca, eigenspace_overlap, gulp,
        rsa, distance_correlation, rsm_difference, mutual_knn, magnitude_difference,
        concentricity_difference, uniformity_difference, angular_cka, hsic, cka_rbf,
        rsa_correlation, rsa_pearson, cka_stimulus, knn_jaccard, lcs_knn, edit_distance_knn, mka,
        kcka, imd, riemann,
    ]
}
MEASURES["rv"] = cka


def read_matrix(path):
    values = np.fromfile(path)
    columns, rows = int(values[0]), int(values[1])
    return np.ascontiguousarray(values[2:].reshape(rows, columns))


def timed(run, calls):
    started = time.process_time()
    for _ in range(calls):
        value = run()
    return (time.process_time() - started) / calls, value


def main(folder):
    x, y = (read_matrix(os.path.join(folder, name)) for name in ("x", "y"))
    prepared = {}
    with open(os.path.join(folder, "questions")) as questions, open(
        os.path.join(folder, "answers"), "w"
    ) as answers:
        for question in questions:
            name, calls = question.split()
            known = MEASURES.get(name)
            try:
                if name in WORKS and name not in prepared:
                    prepared[name] = WORKS[name](x, y)
                run = prepared.get(name) or (known and (lambda: known(x, y)))
                found = timed(run, int(calls)) if run else ("NaN", "NaN")
            except (ImportError, ValueError, np.linalg.LinAlgError):
                found = ("NaN", "NaN")
            print(*found, file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
