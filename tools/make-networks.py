"""Makes inst/extdata/digits: layers of small networks that see handwritten digits.

    python3 tools/make-networks.py

Needs numpy and scikit-learn (1.2.1 made the files that are shipped). Networks learn some of
scikit-learn's digits; stored is what their hidden layers answer to others, which they never saw.
"""
import os
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

folder = os.path.join("inst", "extdata", "digits")
os.makedirs(folder, exist_ok=True)

digits = load_digits()
train, shown = train_test_split(np.arange(len(digits.target)), test_size=250, random_state=1,
                                stratify=digits.target)
pixels = digits.data / 16


def network(width, seed, epochs):
    """Six hidden layers of one width; without epochs, the weights with which training begins."""
    net = MLPClassifier([width] * 6, random_state=seed, max_iter=max(epochs, 1), alpha=1e-3,
                        learning_rate_init=1e-3 if epochs else 1e-12)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        net.fit(pixels[train], digits.target[train])
    return net


def hidden_layers(net, x):
    layers = {}
    for k in range(len(net.coefs_) - 1):
        x = np.maximum(x @ net.coefs_[k] + net.intercepts_[k], 0)
        layers[f"layer{k + 1}"] = x
    return layers


def bytes_of(x):
    """Responses from 0 to the largest as 0 to 255: the scale of a layer is lost."""
    return np.round(255 * x / x.max()).astype(np.uint8)


def cka(x, y):
    x = x - x.mean(0)
    y = y - y.mean(0)
    cross = lambda a, b: np.sum((a.T @ b) ** 2)
    return cross(x, y) / np.sqrt(cross(x, x) * cross(y, y))


for name, width, seed, epochs in [("first", 64, 1, 60), ("second", 100, 2, 60),
                                  ("third", 100, 3, 60), ("untrained", 100, 4, 0)]:
    net = network(width, seed, epochs)
    layers = hidden_layers(net, pixels[shown])
    stored = {layer: bytes_of(x) for layer, x in layers.items()}
    np.savez_compressed(os.path.join(folder, name + ".npz"), **stored)
    lost = max(abs(cka(layers[a], b) - cka(stored[a], b)) for a in layers for b in layers.values())
    print(f"{name}: right for {net.score(pixels[shown], digits.target[shown]):.3f} of the digits, "
          f"{net.n_iter_} epochs; 8 bits move a CKA by at most {lost:.1e}; "
          f"units never active: {[int((x == 0).all(0).sum()) for x in layers.values()]}")

np.save(os.path.join(folder, "pixels.npy"), digits.data[shown].astype(np.uint8))
rows = np.column_stack([[f"d{i}" for i in shown], digits.target[shown]])
np.savetxt(os.path.join(folder, "digits.csv"), rows, "%s", ",", header="id,digit", comments="")
print(sum(os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder)), "bytes")
