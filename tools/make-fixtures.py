"""Writes the files of tests/testthat/fixtures that NumPy, h5py and SciPy make.

    python3 tools/make-fixtures.py

Needs numpy, h5py and scipy. The values are those that tests/testthat/test-read.R expects.
"""
import io
import os
import struct
import zipfile

import h5py
import numpy as np
import scipy.io
import scipy.sparse

folder = os.path.join("tests", "testthat", "fixtures")
os.makedirs(folder, exist_ok=True)


def path(name):
    return os.path.join(folder, name)


def npz(name, arrays, compression):
    """Like numpy.savez, but with the same bytes each time."""
    with zipfile.ZipFile(path(name), "w", compression) as archive:
        for key, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=True)
            archive.writestr(zipfile.ZipInfo(key + ".npy"), content.getvalue(), compression)


kinds = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8"]
base = np.array([[0, 1, 2], [3, 100, 120]])
arrays = {"bool": base > 2}
for kind in kinds:
    values = -base if kind[0] == "i" else base / 4 if kind[0] == "f" else base
    for order, word in (("<", "little"), (">", "big")):
        arrays[kind + "_" + word] = values.astype(order + kind)
        arrays[kind + "_" + word + "_fortran"] = np.asfortranarray(values.astype(order + kind))
npz("stored.npz", arrays, zipfile.ZIP_STORED)

cube = np.arange(24.0).reshape(2, 3, 4)
npz("deflated.npz", {
    "cube": cube,
    "cube_fortran": np.asfortranarray(cube),
    "one_axis": np.arange(5.0),
    "number": np.array(3.0),
    "none": np.zeros((0, 3)),
    "objects": np.array([None, 1], dtype=object),
    "complex": np.ones((2, 2), dtype="c8"),
    "text": np.array([["a", "b"]]),
    "records": np.zeros(2, dtype=[("x", "f4"), ("y", "i4")]),
    "dates": np.zeros(2, dtype="M8[s]"),
    "large": np.array([[1, 2 ** 53], [2 ** 53 + 1, 0]]),
    "limits": np.array([[2.0 ** -24, 65504, np.inf], [-np.inf, np.nan, -0.0]], dtype="f2"),
}, zipfile.ZIP_DEFLATED)
np.savez(path("savez.npz"), np.arange(6.0).reshape(2, 3))   # as numpy itself writes archives

with h5py.File(path("h5py.h5"), "w", libver="latest") as f:
    f["units/rates"] = np.arange(6.0).reshape(3, 2)
    f["units/cube"] = cube
    f["units/spike_times"] = np.array([0.01, 0.02, 0.15, 1.03])
    f["units/spike_times_index"] = np.array([3, 4], dtype="u8")
    f["whole"] = np.array([[1, 2 ** 53], [-2 ** 53, 2 ** 40]])
    f["large"] = np.array([[1, 2 ** 53 + 1]])
    f["lowest"] = np.array([[1, -2 ** 63]])
    f["huge"] = np.array([[1, 2 ** 63 + 5]], dtype="u8")
    f["truth"] = np.array([[True, False]])
    f["half"] = np.array([[0.5, 1.5]], dtype="f2")
    f["big_endian"] = np.array([[0.5, 1.5]], dtype=">f4")
    f["number"] = 3.0
    f["text"] = "hello"
    f["complex"] = np.ones((2, 2), dtype="c8")
    f["none"] = np.zeros((0, 3))
    f["nothing"] = h5py.Empty("f8")
    f["ring"] = h5py.SoftLink("/")
    f["broken"] = h5py.SoftLink("/nowhere")
    f.create_dataset("packed", data=np.arange(200.0).reshape(20, 10), chunks=(5, 5),
                     compression="gzip")

# compressed in a way that only h5py knows
with h5py.File(path("lzf.h5"), "w", libver="latest") as f:
    f.create_dataset("x", data=np.zeros((8, 8)), chunks=(8, 8), compression="lzf")

# What MATLAB's save -v7.3 writes: a block of 512 bytes, reversed axes, and the class of each
# variable.
with h5py.File(path("matlab73.mat"), "w", userblock_size=512, libver="latest") as f:
    for key, value in (("x", np.arange(6.0).reshape(3, 2)), ("cube", cube)):
        f[key] = value.T
        f[key].attrs["MATLAB_class"] = np.bytes_("double")
    f["word"] = np.array([[104], [105]], dtype="u2")
    f["word"].attrs["MATLAB_class"] = np.bytes_("char")
    f["empty"] = np.array([0, 3], dtype="u8")
    f["empty"].attrs["MATLAB_class"] = np.bytes_("double")
    f["empty"].attrs["MATLAB_empty"] = np.uint8(1)
with open(path("matlab73.mat"), "r+b") as f:
    f.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124))
    f.write(struct.pack("<H2s", 0x0200, b"IM"))

variables = {
    "x": np.arange(6.0).reshape(3, 2), "cube": cube, "my_name": np.array([[1.5, -2]], dtype="f4"),
    "small": np.array([[-3, 120]], dtype="i1"), "truth": np.array([[True, False]]),
    "int16": np.array([[-300, 300]], dtype="i2"), "uint16": np.array([[0, 65535]], dtype="u2"),
    "int32": np.array([[-2 ** 31 + 1, 2 ** 31 - 1]], dtype="i4"),
    "uint32": np.array([[1, 2 ** 32 - 1]], dtype="u4"), "int64": np.array([[1, 2 ** 40]]),
    "word": "hello", "complex": np.array([[1 + 2j]]), "record": {"a": 1.0},
    "empty": np.zeros((0, 3)), "sparse": scipy.sparse.csc_matrix(np.diag([1.0, 2, 3])),
}
scipy.io.savemat(path("matlab5.mat"), variables)
scipy.io.savemat(path("matlab7.mat"), variables, do_compression=True)

# For the command `repalign`: data and layers in both orders and several types, and the same numbers
# as texts.
os.makedirs(path("cli/layers"), exist_ok=True)
draw = np.random.default_rng(1)
latent = draw.normal(size=(40, 5))
sides = {"data": latent @ draw.normal(size=(5, 12)) + draw.normal(size=(40, 12))}
for k in (1, 2, 10):
    sides[f"layer{k}"] = latent @ draw.normal(size=(5, 8)) + k / 4 * draw.normal(size=(40, 8))
stored = {"data": np.asfortranarray(sides["data"].astype("f4")), "layer1": sides["layer1"],
          "layer2": np.asfortranarray(sides["layer2"].astype(">f8")),
          "layer10": sides["layer10"].astype("f2")}
with open(path("cli/values.csv"), "w") as f:
    f.write("name,row,column,value\n")
    for key, values in stored.items():
        np.save(path("cli/data.npy" if key == "data" else f"cli/layers/{key}.npy"), values)
        for (i, j), value in np.ndenumerate(values):
            f.write(f"{key},{i + 1},{j + 1},{float(value)!r}\n")
np.save(path("cli/groups.npy"), (np.arange(40) // 2).reshape(40, 1))
