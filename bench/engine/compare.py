# SPDX-License-Identifier: MIT
"""compare: which rival of a measured case is the one to beat."""

import measure

NEAR = 1e-5  # an answer without certificate counts when its F is that near to the least, relatively


def reached(record, least, eps=1e-6):
    """The rival has an answer of the same level."""
    if record.get("failed") or "other problem" in record["rival"]:
        return False
    if record["residual"] is not None:
        return record["residual"] <= eps
    return record["F"] is not None and record["F"] <= least + NEAR * (1 + abs(least))


def best_rival(entry):
    records = list(entry.get("rivals", {}).values())
    values = [r["F"] for r in records if not r.get("failed") and r.get("F") is not None]
    if measure.solved(entry.get("new")) and entry["new"]["F"] is not None:
        values.append(entry["new"]["F"])
    able = [r for r in records if reached(r, min(values, default=0.0))]
    return min(able, key=lambda r: r["cpu"]) if able else None
