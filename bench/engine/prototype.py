# SPDX-License-Identifier: MIT
"""prototype: what the NumPy prototype of this engine needed at 1e-6, seed 0, sizes 0, 1 and 2 (None: not
measured): pairs of products, SVDs or eigendecompositions, factorizations. The engine is to stay within
1.2 times."""

WITHIN = 1.2
COUNTS = {  # kind: ((pairs, svds, factorizations) of size 0, of size 1, of size 2)
    "tv_split": ((2, 0, 0), (3, 0, 0), None),
    "tv_split_mcp": ((247, 0, 134), (355, 0, 190), None),
    "tv2d": ((150, 0, 73), (228, 0, 112), None),
    "fused": ((95, 0, 0), (124, 0, 0), (550, 0, 0)),
    "two_block_m": ((50, 0, 0), (172, 0, 0), (474, 0, 0)),
    "two_block_def": ((54, 0, 0), (178, 0, 0), (490, 0, 0)),
    "zerosum_mcp": ((78, 0, 0), (57, 0, 0), (49, 0, 0)),
    "portfolio_mcp": ((50, 0, 0), (61, 0, 0), (102, 0, 0)),
    "portfolio_l0": ((57, 0, 0), (58, 0, 0), None),
    "bp_l1": ((69, 0, 0), (67, 0, 0), (80, 0, 0)),
    "bp_mcp": ((57, 0, 0), (66, 0, 0), (77, 0, 0)),
    "bp_lq": ((316, 0, 0), (1469, 0, 0), None),
    "transport": ((60, 0, 39), (151, 0, 216), (246, 0, 487)),
    "consensus_logistic": ((20, 0, 0), (42, 0, 0), (77, 0, 0)),
    "sharing20": ((114, 0, 0), (41, 0, 0), (27, 0, 0)),
    "sparse_logistic": ((168, 0, 37), (453, 0, 0), (289, 0, 0)),
    "nmf": ((289, 0, 0), (873, 0, 0), (2567, 0, 0)),
    "cp_nonneg": ((119, 0, 0), (642, 0, 0), None),
    "dictionary": ((4177, 0, 0), None, None),
    "completion": ((None, 31, 9), (None, 29, 0), (None, 50, 0)),
    "rpca_noise": ((None, 92, 0), (None, 1, 0), None),
    "pcp": ((None, 36, 0), (None, 50, 0), None),
    "phaselift": ((152, 94, 0), (286, 184, 0), None),
    "gcg_nuclear": ((None, 64, 0), (None, 41, 0), None),
    "gcg_nuclear_lp": ((None, 275, 0), (None, 97, 0), None),
    "gcg_simplex_lp": ((47, 0, 0), (136, 0, 0), (80, 0, 0)),
    "simplex_ls": ((59, 0, 0), (69, 0, 0), (49, 0, 0)),
    "gcg_birkhoff": ((56, 0, 39), (71, 0, 50), (71, 0, 63)),
    "tv_prox": ((5.5, 0, 0), (5.5, 0, 0), None),
    "infeasible": ((24, 0, 0), (22, 0, 0), None),
    "infeasible_box": ((8, 0, 0), (8, 0, 0), None),
}


def counts(kind, size):
    """(pairs, svds, factorizations) or None."""
    return COUNTS.get(kind, (None, None, None))[size]


def beyond(kind, size, work):
    """How many times the prototype's count the work is, at its worst; None where nothing compares.
    Factorizations are told and not compared: their sizes differ."""
    known = counts(kind, size)
    if not known or not work:
        return None
    ratios = [
        work[name] / limit
        for name, limit in zip(("pairs", "svds"), known)
        if limit and work.get(name) is not None
    ]
    return max(ratios) if ratios else None
