# SPDX-License-Identifier: MIT
"""The page of ``make bench``: whole jobs of crease beside its peers, kernels beside the machine's
limit, and how time and memory grow.

Everything that is compared runs in turns, each run in a process of its own; a peer that is not
installed is named on the page and left out.
"""
