# SPDX-License-Identifier: MIT
"""measure: one solve by the program or by a rival, in a process of its own, and what it took.

A record is a dictionary: outcome, verdict, exit, method, F, residual, iterations, evaluations, work
(pairs, svds, factorizations; None where the program does not tell), cpu (seconds of processor of the whole
process, children too), wall, solve (seconds without reading, checking and writing) and wrong, a list of
what must never happen."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ONE_THREAD = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
PROMISED = {0, 2, 3, 4, 5, 130}  # exit codes of solve that a sound problem file may end with
LATE = 5.0  # seconds of processor after the interrupt when a solve counts as one that ignores it
PATIENCE = 20  # seconds of the clock for one of the processor, on a busy machine
MEMORY = 6 << 30


def cpu_of(pid):
    """Seconds of processor that a running process has used."""
    with open(f"/proc/{pid}/stat") as file:
        words = file.read().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def run(command, limit):
    """Runs with one thread and at most `limit` seconds of processor, not of the clock: the machine may be
    busy. Then it is interrupted, and killed LATE seconds later. Returns (exit code, or None when it had to
    be killed; standard output; standard error; cpu; wall)."""
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(
            command,
            stdout=out,
            stderr=err,
            env={**os.environ, **ONE_THREAD},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        )
        interrupted = killed = False
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                break
            used, wall = cpu_of(child.pid), time.monotonic() - began
            if not interrupted and (used > limit or wall > PATIENCE * limit + 30):
                child.send_signal(signal.SIGINT)
                interrupted = True
            if not killed and (used > limit + LATE or wall > 2 * PATIENCE * limit + 60):
                child.send_signal(signal.SIGKILL)
                killed = True
            time.sleep(0.002 if wall < 1 else 0.02)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        text, said = out.read(), err.read()
    code = None if killed else child.returncode
    return code, text, said, usage.ru_utime + usage.ru_stime, time.monotonic() - began


def read_result(folder):
    try:
        with open(f"{folder}/result.json") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def work_of(result):
    """{pairs, svds, factorizations} of a result that tells them."""
    work = (result.get("details") or {}).get("work")
    if not work:
        return None
    return {
        "pairs": work["pairs"],
        "svds": work["spectra"],
        "factorizations": work["factorizations"],
    }


def solving(phases, seconds, cpu):
    """Seconds of the iterations and certificates: by the clock, or on a busy machine their share of the
    processor's."""
    solve = sum(phases.get(p) or 0 for p in ("center", "start", "fit", "certify"))
    return max(1e-6, min(solve, cpu * solve / max(seconds or 0, 1e-6)))


def core(result):
    """The method, and the core that did the work where the engine names one."""
    details = result.get("details") or {}
    inner = details.get("core") or result.get("core")
    return (
        f"{result['method']}/{inner}" if inner and inner != result["method"] else result["method"]
    )


def judge(record, verify_code):
    """What must never happen: a claim that the checker refuses, a crash, an interrupt ignored."""
    wrong = []
    if record["exit"] is None:
        wrong.append("killed: it did not end when interrupted")
    elif record["exit"] not in PROMISED:
        wrong.append(f"exit {record['exit']}")
    if record["outcome"] == "stopped" and record["exit"] not in (130, None):
        wrong.append("says that it was stopped, and nobody did")
    claimed = record["exit"] in (0, 4, 5)
    if claimed and verify_code != 0:
        wrong.append(f"claims {record['outcome']}, crease verify ends with {verify_code}")
    return wrong


def solve(program, problem, limit, eps=1e-6, options=()):
    """The problem by the program, verified by the program's own `verify`."""
    folder = tempfile.mkdtemp(prefix="bench-engine-")
    out = f"{folder}/result"
    command = [
        program,
        "solve",
        problem,
        "--eps",
        repr(eps),
        "--quiet",
        "--method",
        "auto",
        *options,
    ]
    try:
        code, _, said, cpu, wall = run(command + ["--out", out], limit)
        record = {
            "command": " ".join(command),
            "exit": code,
            "cpu": cpu,
            "wall": wall,
            "outcome": None,
            "verdict": None,
            "method": None,
            "F": None,
            "residual": None,
            "iterations": None,
            "evaluations": None,
            "work": None,
            "solve": None,
            "said": said.strip()[-400:],
        }
        result, verify_code = read_result(out), None
        if result:
            phases = result.get("phase_seconds") or {}
            record.update(
                outcome=result["outcome"],
                verdict=result["verdict"],
                method=core(result),
                F=result["objective"],
                residual=result["residual"],
                iterations=result["iterations"],
                evaluations=result["evaluations"],
                work=work_of(result),
                solve=solving(phases, result["seconds"], cpu),
            )
            verify_code, _, _, _, _ = run([program, "verify", out, "--eps", repr(eps)], 60)
        record["verified"] = verify_code
        record["wrong"] = judge(record, verify_code)
        return record
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def rival(python, name, case, limit, eps=1e-6):
    """The case by a rival of rivals.py: its record, whose cpu is of the solve alone."""
    command = [python, f"{HERE}/rivals.py", case, name, "--limit", repr(limit), "--eps", repr(eps)]
    code, text, said, _, wall = run(command, 6 * limit + 30)
    lines = text.strip().splitlines()
    if code == 0 and lines:
        return {**json.loads(lines[-1]), "rival": name, "wall": wall}
    return {"rival": name, "failed": (said.strip() or f"exit {code}")[-300:], "wall": wall}


def best_of(turns, seconds, once):
    """The record of least cpu of up to `turns` runs that together take about `seconds`, with the least
    solve of all."""
    records, spent = [], 0.0
    while len(records) < turns and spent <= seconds and not any(r.get("wrong") for r in records):
        records.append(once())
        spent += records[-1]["wall"]
    best = next((r for r in records if r.get("wrong")), None)
    best = best or min(records, key=lambda r: r.get("cpu") or 1e300)
    solves = [r["solve"] for r in records if r.get("solve") is not None]
    return {**best, "solve": min(solves)} if solves else best


def solved(record):
    """Certified and confirmed: a stationary point, or a proof that there is none."""
    return bool(record) and record["exit"] in (0, 4, 5) and record["verified"] == 0


if __name__ == "__main__":
    print(json.dumps(solve(sys.argv[1], sys.argv[2], float(sys.argv[3])), indent=1))
