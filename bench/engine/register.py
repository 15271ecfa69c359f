# SPDX-License-Identifier: MIT
"""register: the list of rivals by kind, and the case that a rival is given."""

import json
import os

import numpy as np
import scipy.io

from terms import Penalty

RIVALS = {}  # kind: {rival: (function of (data, eps, clock, choice), choices, modules)}


def rival(name, *kinds, choices=(None,), modules=()):

    def enter(function):
        for kind in kinds:
            RIVALS.setdefault(kind, {})[name] = (function, choices, modules)
        return function

    return enter


def names(kind):
    return list(RIVALS.get(kind, {}))


class Data:
    """The problem file, its arrays and matrices by name, and its blocks."""

    def __init__(self, case):
        with open(f"{case}/problem.json") as file:
            self.document = json.load(file)
        self.kind = os.path.basename(os.path.normpath(case)).rpartition("_")[0]
        self.arrays = {}
        for name in sorted(os.listdir(case)):
            stem, kind = os.path.splitext(name)
            if kind == ".npy":
                self.arrays[stem] = np.load(f"{case}/{name}")
            elif kind == ".mtx":
                self.arrays[stem] = scipy.io.mmread(f"{case}/{name}").tocsr()
        self.block = {b["name"]: b for b in self.document["blocks"]}

    def __getitem__(self, name):
        return self.arrays[name]

    def penalty(self, block, **more):
        name, _, parameters = self.block[block].get("regularizer", "zero").partition(":")
        p = tuple(float(v) for v in parameters.split(",") if v)
        if name.startswith("nonneg"):
            return Penalty(name[7:] or "zero", p, low=0.0, **more)
        return Penalty(name, p, **more)

    def set_parameter(self, block):
        return [float(v) for v in self.block[block]["set"].partition(":")[2].split(",")]


def answer(x_F_residual_iterations, **more):
    _, F, residual, iterations = x_F_residual_iterations
    return {"F": F, "residual": residual, "iterations": iterations, **more}
