# SPDX-License-Identifier: MIT
"""python3 -m page: measures crease beside its peers and writes report.md with its plots.

    python3 -m page --build build/bench --out build/bench [--only WORDS] [--turns 3] [--budget 60]
                    [--most 1e8] [--without kernels,growth] [--page docs/performance.md]

--only takes the jobs whose titles have the words, and keeps what results.json has of the others.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from dataclasses import asdict
from typing import Any, Dict

from . import growth, kernels, report
from .cases import Cases
from .turns import Case, Run, take_turns


def _arguments() -> argparse.Namespace:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--build", type=pathlib.Path, required=True)
    parse.add_argument("--out", type=pathlib.Path, required=True)
    parse.add_argument("--only", default="")
    parse.add_argument("--turns", type=int, default=3)
    parse.add_argument("--budget", type=float, default=60, help="seconds of a job after which no turn begins")
    parse.add_argument("--most", type=float, default=1e8, help="entries of the largest tensor")
    parse.add_argument("--page", type=pathlib.Path, help="where the documentation has the report")
    parse.add_argument("--without", default="", help="jobs, kernels, growth")
    return parse.parse_args()


def _known(path: pathlib.Path) -> Dict[str, Any]:
    empty: Dict[str, Any] = {"cases": {}, "kernels": {}, "growth": []}
    return {**empty, **json.loads(path.read_text())} if path.exists() else empty


def main() -> int:
    a = _arguments()
    a.out.mkdir(parents=True, exist_ok=True)
    program, work = str(a.build / "src" / "crease"), a.out / "page"
    work.mkdir(exist_ok=True)
    results, without = a.out / "results.json", set(a.without.split(","))
    found, cases = _known(results), []
    for case, contenders in Cases(program, work).all():
        old = found["cases"].get(case.key)
        if "jobs" in without or a.only not in case.title:
            if old:
                cases.append(Case(**{**old, "runs": {n: [Run(**r) for r in rs] for n, rs in old["runs"].items()}}))
            continue
        print(case.title, flush=True)
        cases.append(take_turns(case, contenders(), a.turns, a.budget))
        found["cases"][case.key] = asdict(case)
        results.write_text(json.dumps(found, indent=1))
    if not a.only and "kernels" not in without:
        print("kernels", flush=True)
        found["kernels"] = kernels.measured(a.build / "bench")
    if not a.only and "growth" not in without:
        found["growth"] = []
        for curve in growth.curves(program, work, a.most):
            print(f"growth: {curve.title}", flush=True)
            found["growth"].append(asdict(curve))
    found["machine"] = report.machine_of(program)
    results.write_text(json.dumps(found, indent=1))
    report.write(found, cases, a.out, pathlib.Path(__file__).resolve().parents[2])
    if a.page:
        report.publish(a.out, a.page)
    print(a.out / "report.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
