# SPDX-License-Identifier: MIT
"""How a call behaves while it works: Ctrl-C, functions that fail, progress, log, locale."""

from __future__ import annotations

import locale
import logging
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import types
from typing import Any, Callable, List, Tuple

import numpy as np
import pytest

import crease
from crease import _progress
from crease._functions import MapFunctions, SmoothFunctions

HERE = pathlib.Path(__file__).parent
N = 6

# Ctrl-C


def script(text: str, **keywords: Any) -> "subprocess.CompletedProcess[str]":
    """Runs a program of Python on its own, with the modules of this folder."""
    env = {**os.environ, "PYTHONPATH": f"{os.environ.get('PYTHONPATH', '')}:{HERE}"}
    env.update(keywords.pop("env", {}))
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, env=env,
        timeout=120, **keywords,
    )


def test_ctrl_c_at_random_times_of_every_function() -> None:
    words = ["--entries", "4e4", "--trials", "1", "--longest", "0.4", "--late", "3"]
    done = subprocess.run(
        [sys.executable, str(HERE / "interrupts.py"), *words], capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stderr == "", done.stdout + done.stderr


def test_two_signals_in_a_row_are_one_interruption() -> None:
    """However the second one falls, nothing is lost, and nothing is printed by who ignores it."""
    done = script(
        """
        import os, random, signal, threading, time
        import crease, numpy as np
        from interrupts import own_loss

        draw = random.Random(0)
        call = own_loss(np.random.default_rng(0))
        for _ in range(60):
            def send(pause=draw.uniform(0, 2e-4), at=draw.uniform(0.01, 0.06)):
                time.sleep(at)
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(pause)
                os.kill(os.getpid(), signal.SIGINT)
            sender = threading.Thread(target=send)
            ended = False
            try:
                try:
                    sender.start()
                    call()
                    ended = True
                except KeyboardInterrupt:
                    pass
                sender.join()
                time.sleep(0.001)
            except KeyboardInterrupt:
                sender.join()
            assert not ended, "the signal was lost"
        """
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_ctrl_c_that_nobody_catches_ends_python() -> None:
    done = script(
        """
        import functools, os, signal, threading
        import numpy as np
        from interrupts import own_loss

        later = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        own_loss(np.random.default_rng(0), functools.lru_cache()(later.start))()
        """
    )
    assert done.returncode != 0
    assert done.stderr.count("Traceback") == 1
    assert done.stderr.rstrip().endswith("Interrupted: stopped by Ctrl-C")


class Alarm(Exception):
    pass


def test_what_a_handler_of_the_caller_raises_is_raised(slow: Callable[..., Any]) -> None:
    def ring(*_: Any) -> None:
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Alarm):
            slow()
        assert signal.getsignal(signal.SIGALRM) is ring
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_handler_that_raises_nothing_stops_nothing(tensor: Any) -> None:
    rung: List[int] = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
        found = crease.rpca(tensor, progress=None)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert found.certificate.valid and rung


@pytest.fixture
def slow() -> Callable[..., Any]:
    """A call that takes ten seconds unless it is stopped."""
    T = np.random.default_rng(1).normal(size=(30, 30, 30))
    return lambda **more: crease.spca(T, 100, eps=1e-15, max_seconds=10, **more)


def test_a_call_in_a_thread_is_stopped_by_its_progress(slow: Callable[..., Any]) -> None:
    answers: List[Any] = []
    stop = threading.Event()
    thread = threading.Thread(
        target=lambda: answers.append(slow(progress=lambda s: not stop.is_set()))
    )
    begun = time.monotonic()
    thread.start()
    time.sleep(0.3)
    stop.set()
    thread.join(20)
    assert not thread.is_alive() and time.monotonic() - begun < 5
    (answer,) = answers  # a stop that is asked for is no error
    assert answer.outcome in ("stopped", "stationary")


def test_ctrl_c_while_a_thread_fits_is_of_the_main_thread(slow: Callable[..., Any]) -> None:
    answers: List[Any] = []
    thread = threading.Thread(
        target=lambda: answers.append(slow(progress=lambda s: s.seconds < 1))
    )
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
    thread.join(30)
    assert len(answers) == 1


# functions of the caller


class Boom(Exception):
    pass


class Recorded:
    """A problem of four functions, with every call on record; one of them misbehaves once."""

    def __init__(self, fails: str = "", at: int = 0, by: Any = None) -> None:
        self.calls: List[str] = []
        self.fails, self.at, self.by = fails, at, by
        draw = np.random.default_rng(0)
        self.A, self.b = draw.normal(size=(N, N)), draw.normal(size=N)

    def _call(self, name: str, right: Any) -> Any:
        self.calls.append(name)
        if name != self.fails or self.calls.count(name) != self.at:
            return right
        if isinstance(self.by, BaseException):
            raise self.by
        return self.by

    def value(self, x: Any) -> Any:
        r = self.A @ x[0] - self.b
        return self._call("value", float(np.logaddexp(r, -r).sum()))

    def grad(self, x: Any, i: int) -> Any:
        return self._call("grad", self.A.T @ np.tanh(self.A @ x[0] - self.b))

    def apply(self, x: Any) -> Any:
        return self._call("apply", 2 * x)

    def adjoint(self, y: Any) -> Any:
        return self._call("adjoint", 2 * y)

    def solve(self, **options: Any) -> crease.Result:
        functions = {
            "f": SmoothFunctions(self.value, self.grad, [(N,)]),
            "A": MapFunctions(self.apply, self.adjoint, (N,), (N,)),
        }
        blocks = [{"name": "z", "shape": N, "regularizer": "l1:0.3"}, {"name": "x", "shape": N}]
        maps = {"x": {"callback": {"name": "A", "shape": [N]}}, "z": -1}
        problem = {
            "crease": 1,
            "blocks": blocks,
            "smooth": [{"callback": {"name": "f", "blocks": ["x"]}}],
            "constraint": {"maps": maps, "rhs": 0},
        }
        return crease.solve(problem, functions=functions, progress=None, **options)


FUNCTIONS = ("value", "grad", "apply", "adjoint")


def test_functions_of_the_caller_are_used() -> None:
    r = Recorded()
    found = r.solve()
    assert found.certificate.valid and set(r.calls) == set(FUNCTIONS)
    z = found.x["z"]
    gradient = r.A.T @ np.tanh(r.A @ found.x["x"] - r.b)
    assert np.abs(z - 2 * found.x["x"]).max() < 1e-6
    assert np.abs(gradient / 2)[z == 0].max() < 0.3 + 1e-6
    assert np.abs(gradient / 2 + 0.3 * np.sign(z))[z != 0].max() < 1e-5


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_a_function_raises_is_raised_and_none_is_called_again(name: str) -> None:
    for k in range(1, 21):
        by = Boom(k)
        r = Recorded(name, k, by)
        with pytest.raises(Boom) as caught:
            r.solve()
        assert caught.value is by
        assert r.calls.count(name) == k and r.calls[-1] == name
        assert any(entry.name == "_call" for entry in caught.traceback)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_ctrl_c_in_a_function_is_an_interruption(name: str) -> None:
    r = Recorded(name, 12, KeyboardInterrupt())
    with pytest.raises(crease.Interrupted):
        r.solve()
    assert r.calls[-1] == name


@pytest.mark.parametrize("k", range(1, 21))
def test_what_progress_raises_is_raised_and_it_is_not_called_again(k: int) -> None:
    r, seen = Recorded(), []

    def progress(state: Any) -> None:
        seen.append(state)
        if len(seen) == k:
            raise Boom

    logging.getLogger("crease").setLevel(logging.DEBUG)  # a look every millisecond
    try:
        with pytest.raises(Boom):
            while True:  # until one of them lasts long enough for k looks
                seen.clear()
                draw = np.random.default_rng(0)
                crease.spca(draw.normal(size=(20, 20, 20)), 30, progress=progress)
    finally:
        logging.getLogger("crease").setLevel(logging.NOTSET)
    assert len(seen) == k


@pytest.mark.parametrize("at", (1, 9))
@pytest.mark.parametrize(
    "name, by, kind, says",
    [
        ("value", float("nan"), crease.DataError, "the value of a Smooth term is nan"),
        ("value", -float("inf"), crease.DataError, "the value of a Smooth term is -inf"),
        ("value", None, crease.DataError, "of type NoneType; return a number"),
        ("value", np.ones(2), crease.DataError, "of type ndarray; return a number"),
        ("grad", np.full(N, np.nan), crease.DataError, r"gradient .* returned nan at \(0,\)"),
        ("grad", np.ones(N + 1), crease.ShapeError, r"of shape \(7,\); return one of .*\(6,\)"),
        ("grad", None, crease.DataError, "no array of numbers"),
        ("grad", np.ones(N) * 1j, crease.DataError, "no array of numbers"),
        ("apply", np.full(N, np.inf), crease.DataError, r"matvec returned inf at \(0,\)"),
        ("apply", 1.0, crease.ShapeError, r"matvec returned an array of shape \(\)"),
        ("adjoint", ["a"] * N, crease.DataError, "rmatvec returned no array of numbers"),
        ("adjoint", np.ones((N, 1)), crease.ShapeError, r"rmatvec .* shape \(6, 1\)"),
    ],
)
def test_what_a_function_may_not_return(name: str, by: Any, kind: Any, says: str, at: int) -> None:
    r = Recorded(name, at, by)
    with pytest.raises(kind, match=says):
        r.solve()
    asked_too = ["value"] if name == "grad" and says.startswith("gradient") else []
    assert r.calls.count(name) == at and r.calls[-1 - len(asked_too) :] == [name, *asked_too]


def test_infinity_is_a_value_outside_of_the_domain() -> None:
    """-sum log x + sum x, whose gradient is not finite where its value is not."""

    def value(x: Any) -> float:
        return float(x[0].sum() - np.log(x[0]).sum()) if (x[0] > 0).all() else float("inf")

    def grad(x: Any, i: int) -> Any:
        return np.where(x[0] > 0, 1 - 1 / np.where(x[0] > 0, x[0], 1), np.nan)

    found = crease.solve(
        {
            "crease": 1,
            "blocks": [{"name": "x", "shape": 3, "start": [0.01, 4.0, 0.3]}],
            "smooth": [{"callback": {"name": "f", "blocks": ["x"]}}],
        },
        functions={"f": SmoothFunctions(value, grad, [(3,)])},
        progress=None,
    )
    assert np.abs(found.x["x"] - 1).max() < 1e-4


def test_what_a_function_gets_is_its_own() -> None:
    """It may keep it and write to it; neither memory of C nor a later point is seen there."""
    kept: List[Any] = []
    copies: List[Any] = []
    r = Recorded()
    original = r.value

    def value(x: Any) -> Any:
        found = original(x)
        kept.append(x[0])
        copies.append(np.array(x[0]))
        x[0].flags.writeable  # it is an array like any other
        return found

    setattr(r, "value", value)
    found = r.solve()
    del found
    assert all(np.array_equal(a, b) for a, b in zip(kept, copies))
    assert len({a.tobytes() for a in kept}) > 3

    def spoils(x: Any, i: int) -> Any:
        g = Recorded.grad(r, x, i)
        x[0][:] = np.nan
        return g

    setattr(r, "grad", spoils)
    assert r.solve().certificate.valid


def test_a_function_may_call_the_package() -> None:
    r = Recorded()
    original, inner = r.value, []

    def value(x: Any) -> Any:
        if len(r.calls) in (3, 40):
            inner.append(crease.solve({"crease": 1, "blocks": [
                {"name": "u", "shape": 2, "regularizer": "l1:1"}],
                "smooth": [{"squared_distance": {"a": "u", "d": [3, 0.5]}}]}).x["u"].tolist())
        return original(x)

    setattr(r, "value", value)
    assert r.solve().certificate.valid
    assert inner and all(np.allclose(u, [2, 0]) for u in inner)


def test_a_problem_that_is_being_solved_is_not_solved_by_its_progress() -> None:
    x = crease.Variable(50, "x")
    A = np.random.default_rng(0).normal(size=(40, 50))
    b = crease.Parameter(np.ones(40), name="b")
    problem = crease.minimize(crease.least_squares(A @ x - b) + crease.mcp(0.1, 3)(x))
    problem.solve(progress=None)

    def again(state: Any) -> None:
        problem.solve(progress=None)

    with pytest.raises(crease.ArgumentError, match="is being solved"):
        problem.solve(progress=again)
    assert problem.solve(progress=None).certificate.valid


# progress and log


def test_a_callable_gets_every_phase() -> None:
    seen: List[_progress.State] = []
    draw = np.random.default_rng(2)
    T = np.einsum("ir,jr,kr->ijk", *[draw.normal(size=(n, 3)) for n in (40, 40, 40)])
    crease.rpca(T + 0.01 * draw.normal(size=T.shape), progress=seen.append)
    phases = [s.phase for s in seen]
    assert {"rank", "start", "fit", "certify", "check", "write"} <= set(phases)
    assert all(a.seconds <= b.seconds for a, b in zip(seen, seen[1:]))
    assert not any(s.stopping for s in seen)
    fit = [s for s in seen if s.phase == "fit"]
    assert all(s.eps == 1e-6 and s.relative for s in fit if not np.isnan(s.eps))


def test_false_stops_and_what_there_is_is_returned(tensor: Any) -> None:
    found = crease.rpca(tensor, progress=lambda s: s.phase != "fit")
    assert found.outcome in ("stopped", "stationary")
    assert found.lowrank.shape == tensor.shape
    number: Any = lambda s: s.iteration  # which is no bool
    assert crease.rpca(tensor, 2, progress=number).certificate.valid
    never: Any = lambda s: np.bool_(False)
    with pytest.raises(crease.CutError, match="nothing to show"):
        crease.generate("cp", shape=(200, 200, 50), rank=5, progress=never)
    with pytest.raises(crease.CutError, match="nothing to show"):
        crease.generate("cp", shape=(200, 200, 50), rank=5, progress=lambda s: False)


def test_progress_is_auto_none_or_callable(tensor: Any) -> None:
    wrong: List[Any] = ["always", 3, np.ones(2)]
    for given in wrong:
        with pytest.raises(crease.ArgumentError, match="progress is"):
            crease.rpca(tensor, 2, progress=given)


PATIENT = """
    import sys
    import crease, numpy as np
    T = np.random.default_rng(1).normal(size=(30, 30, 30))
    crease.spca(T, 100, eps=1e-15, max_seconds=3, progress={progress})
    print(repr(sys.stderr.isatty()))
    """


def on_a_terminal(text: str) -> Tuple[str, str]:
    """Standard error of a program that has a terminal for it, and its output."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(text)], stderr=slave, stdout=subprocess.PIPE,
        text=True,
    )
    os.close(slave)
    pieces = []
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError:  # its other end is closed
            break
        if not piece:
            break
        pieces.append(piece)
    os.close(master)
    out = process.communicate(timeout=60)[0]
    assert process.returncode == 0
    return b"".join(pieces).decode(), out


def test_a_terminal_has_one_line_that_goes() -> None:
    text, out = on_a_terminal(PATIENT.format(progress='"auto"'))
    assert out == "True\n"
    drawn = [line.rstrip() for line in text.split("\r")]
    assert len(drawn) > 5 and drawn[0] == "" and drawn[-1] == "" and drawn[-2] == ""
    assert "\n" not in text
    shown = [line for line in drawn if line]
    assert all(line.startswith("crease spca  ") for line in shown)
    times = [float(line.split()[-2]) for line in shown if line.endswith(" s")]  # "... 2.3 s"
    assert times and min(times) >= 2 and times == sorted(times)
    assert all(len(line) < 80 for line in shown)  # cut to the width


def test_without_a_terminal_nothing_is_printed() -> None:
    done = script(PATIENT.format(progress='"auto"').replace("max_seconds=3", "max_seconds=2.5"))
    assert (done.stdout, done.stderr) == ("False\n", "")
    quiet = PATIENT.format(progress=None).replace("max_seconds=3", "max_seconds=2.2")
    assert on_a_terminal(quiet)[0] == ""


class Page:
    """A notebook that remembers what it shows."""

    def __init__(self) -> None:
        self.shown: List[str] = []
        self.lines = 0

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        page = self

        class ZMQInteractiveShell:
            pass

        class Handle:
            def update(self, html: str) -> None:
                page.shown.append(html)

        def display(html: str, display_id: bool = False) -> Handle:
            page.shown.append(html)
            page.lines += 1
            return Handle()

        shell, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
        shell.get_ipython = ZMQInteractiveShell  # type: ignore[attr-defined]
        module.HTML, module.display = str, display  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "IPython", shell)
        monkeypatch.setitem(sys.modules, "IPython.display", module)


def test_a_notebook_has_one_line_that_goes(
    monkeypatch: pytest.MonkeyPatch, slow: Callable[..., Any]
) -> None:
    page = Page()
    page.install(monkeypatch)
    monkeypatch.setattr(_progress, "_PATIENCE", 0.1)
    slow(progress=lambda s: s.seconds < 0.5)  # a callable shows what it likes
    assert page.shown == []
    signal.setitimer(signal.ITIMER_REAL, 0)
    threading.Timer(0.6, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(crease.Interrupted):
        slow(progress="auto")
    assert page.lines == 1 and len(page.shown) > 3 and page.shown[-1] == ""
    assert all(text.startswith("<code>crease spca  ") for text in page.shown[:-1])


def test_a_terminal_that_is_gone_ends_no_call(
    monkeypatch: pytest.MonkeyPatch, tensor: Any
) -> None:
    class Gone:
        def isatty(self) -> bool:
            return True

        def write(self, text: str) -> int:
            raise OSError(5, "gone")

    monkeypatch.setattr(_progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(sys, "stderr", Gone())
    assert crease.rpca(tensor, 2, progress="auto").certificate.valid
    monkeypatch.setattr(sys, "stderr", None)
    assert crease.rpca(tensor, 2, progress="auto").certificate.valid


def test_the_log_has_phases_certificates_and_notes(
    caplog: pytest.LogCaptureFixture, tensor: Any
) -> None:
    logger = logging.getLogger("crease")
    assert any(isinstance(h, logging.NullHandler) for h in logger.handlers)
    with caplog.at_level(logging.INFO, "crease"):
        crease.rpca(tensor, 2, progress=None)
    assert {r.levelno for r in caplog.records} == {logging.INFO}
    said = [r.getMessage() for r in caplog.records]
    assert {"rpca: start", "rpca: fit", "rpca: certify", "rpca: write"} <= set(said)
    assert len(said) == len(set(said))
    caplog.clear()
    with caplog.at_level(logging.DEBUG, "crease"):
        crease.solve(
            {"crease": 1, "blocks": [{"name": "x", "shape": 50, "regularizer": "mcp:0.1,3"}],
             "smooth": [{"least_squares": {
                 "terms": {"x": np.random.default_rng(0).normal(size=(40, 50))},
                 "rhs": np.ones(40)}}]},
            method="prox-gradient", eps=1e-9, max_iterations=3000, progress=None,
        )
    debug = [r.getMessage() for r in caplog.records if r.levelno == logging.DEBUG]
    assert any("residual" in text and "iteration" in text for text in debug)
    assert debug[-1].startswith("solve: ") and "stationary" in debug[-1]


def test_nothing_is_printed_when_nobody_listens(
    capfd: pytest.CaptureFixture[str], tensor: Any
) -> None:
    crease.rpca(tensor, 2)
    with pytest.raises(crease.Error):
        crease.rpca(tensor, 2, alpha=-1)
    assert capfd.readouterr() == ("", "")


# the state of the process


def state_of_the_process() -> Tuple[Any, ...]:
    umask = os.umask(0)
    os.umask(umask)
    signals = [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE)]
    tiny = np.nextafter(0, 1) + np.zeros(100)  # are numbers that are not normal still numbers?
    return (os.getcwd(), umask, signals, dict(os.environ), float(tiny.sum()), np.geterr(),
            locale.setlocale(locale.LC_ALL), signal.pthread_sigmask(signal.SIG_BLOCK, []),
            sorted(os.listdir("/proc/self/fd")), repr(np.random.get_state()))


def test_a_call_leaves_the_process_as_it_was(tensor: Any, tmp_path: pathlib.Path) -> None:
    crease.rpca(tensor, 2, progress=None)  # threads and libraries are there from now on
    before = state_of_the_process()
    found = crease.rpca(tensor, penalty="mcp", progress=None)
    found.to_folder(tmp_path / "out")
    crease.load(tmp_path / "out").report(tmp_path / "page.html")
    crease.write(tmp_path / "a.csv", tensor[0])
    crease.read(tmp_path / "a.csv")
    with pytest.raises(crease.Error):
        crease.rpca(tensor, 2, alpha=-1.0, progress=None)
    with pytest.raises(Boom):
        Recorded("grad", 3, Boom()).solve()
    assert state_of_the_process() == before
    assert {f.name for f in tmp_path.iterdir()} == {"out", "page.html", "a.csv"}


# the locale of the caller


def test_a_decimal_comma_of_the_caller_changes_nothing(tmp_path: pathlib.Path) -> None:
    made = shutil.which("localedef") and subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"], capture_output=True
    ).returncode == 0
    if not made:
        pytest.skip("no locale with a decimal comma can be made here")
    code = """
        import locale, os, sys
        import numpy as np
        if len(sys.argv) > 1 or os.environ.get("COMMA"):
            locale.setlocale(locale.LC_ALL, "de_DE.UTF-8")
            assert locale.localeconv()["decimal_point"] == ","
        import crease
        random = np.random.default_rng(0)
        T = random.normal(size=(8, 7, 6)) + 3
        r = crease.rpca(T, 2, eps=1.5e-6, penalty="scad:1.5,3.7", alpha=0.25)
        r.to_folder(sys.stdin.readline().strip())
        lines = [repr(r).rsplit("in ", 1)[0], repr(crease.verify(r)), r.lowrank.tobytes().hex()]
        fit = crease.regress(T[:, :, 0], T[:, 0, 1], lambda_=[0.5, 0.25])
        lines += [fit.coefficients.tobytes().hex(), fit.files["solutions.csv"]]
        lines += [line.rsplit(",", 1)[0] for line in r.files["history.csv"].splitlines()]
        try:
            crease.rpca(T, 2, alpha=-1.5)
        except crease.ArgumentError as e:
            lines.append(str(e))
        x = crease.solve({"crease": 1, "blocks": [
            {"name": "x", "shape": 2, "regularizer": "l1:0.5"}],
            "smooth": [{"squared_distance": {"a": "x", "d": [1.5, 0.25]}}]})
        lines.append(repr(x.x["x"].tolist()))
        assert not os.environ.get("COMMA") or locale.localeconv()["decimal_point"] == ","
        print("\\n".join(lines))
        """
    env = {"LOCPATH": str(tmp_path)}
    there = [script(code, input=f"{tmp_path}/a\n", env=env),
             script(code, input=f"{tmp_path}/b\n", env={**env, "COMMA": "1"})]
    assert [t.stderr for t in there] == ["", ""]
    assert there[0].stdout == there[1].stdout and "[1.0, 0.0]" in there[0].stdout
    assert crease.verify(tmp_path / "b").valid
