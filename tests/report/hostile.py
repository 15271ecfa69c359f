# SPDX-License-Identifier: MIT
"""hostile.py CREASE FOLDER [MANY]: results that are damaged or meant to do harm. The program writes a page
or says a sentence, and whatever it writes holds no markup but its own. MANY places of each document."""
import copy, html.parser, json, random, re, shutil, subprocess, sys
from pathlib import Path
import numpy as np
from results import Results

HARM = '"><script>alert(1)</script><img src=x onerror=alert(2)>\'</title></style>]]>&amp;%s%n\u202e\x07'
SENTENCES = {64, 65, 66, 74}  # usage, bad data, no input, io
VOID = {"meta", "input", "br", "img", "link"}
passed, failed = 0, 0


def check(holds, what):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print("FAILED", what)


class Reader(html.parser.HTMLParser):
    """Balanced tags; scripts and handlers of others."""

    def __init__(self):
        super().__init__(convert_charrefs=False)
        self.open, self.scripts, self.wrong = [], 0, []

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        if tag in ("img", "iframe", "object", "embed", "base", "link", "form"):
            self.wrong.append(f"<{tag}>")
        for name, value in attrs:
            if name.startswith("on") or (value or "").lower().startswith(("http:", "javascript:")):
                self.wrong.append(f"{tag} {name}")
            if name in ("d", "x", "y", "x1", "y1", "cx", "cy", "width", "height") and \
                    re.search("nan|inf", value or "", re.I):
                self.wrong.append(f"{tag} {name}={value[:40]}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:  # of SVG
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")


def read(path):
    reader = Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    return reader


def places(value, path=()):
    """Every path into a document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for k, v in items:
        if isinstance(k, int) and k > 2:
            break
        yield from places(v, (*path, k))


def put(document, path, value):
    at = document
    for k in path[:-1]:
        at = at[k]
    at[path[-1]] = value
    return document


def everywhere(value, change):
    if isinstance(value, dict):
        return {k: everywhere(v, change) for k, v in value.items()}
    if isinstance(value, list):
        return [everywhere(v, change) for v in value]
    return change(value)


def documents(document, rng, many):
    """Whole documents changed, then one place at a time."""
    keep = {"verb": document["verb"]}
    is_number = lambda v: isinstance(v, (int, float)) and not isinstance(v, bool)
    for name, change in {
        "words": lambda v: HARM if isinstance(v, str) else v,
        "nothing": lambda v: None if is_number(v) else v,
        "huge": lambda v: 1.7e308 if is_number(v) else v,
        "below": lambda v: -1.7e308 if is_number(v) else v,
        "tiny": lambda v: 5e-324 if is_number(v) else v,
        "zero": lambda v: 0 if is_number(v) else v,
        "text": lambda v: str(v) if is_number(v) else v,
    }.items():
        yield name, {**everywhere(document, change), **keep}
    yield "empty", {**{k: {} for k in document}, **keep}
    yield "verb alone", keep
    every = [p for p in places(document) if p and p != ("verb",)]
    for p in rng.sample(every, min(many, len(every))):
        for value in (None, [], {}, HARM, -1, 1e300, "x" * 5000):
            if rng.random() < .4:
                yield f"{'.'.join(map(str, p))} = {str(value)[:12]}", put(copy.deepcopy(document), p, value)


def arrays(folder, rng):
    """Files of a folder cut, emptied, removed, of another shape, and full of NaN."""
    for path in sorted(folder.glob("*.npy")) + sorted(folder.glob("*.csv")):
        whole = path.read_bytes()
        for name, what in {"cut": whole[:len(whole) * 2 // 3], "empty": b"", "noise": rng.randbytes(200)}.items():
            path.write_bytes(what)
            yield f"{path.name} {name}"
        path.unlink()
        yield f"{path.name} removed"
        if path.suffix == ".npy":
            path.write_bytes(whole)
            x = np.load(path)
            for name, y in {"nan": np.full_like(x, np.nan), "inf": np.full_like(x, np.inf),
                            "zeros": np.zeros_like(x), "flat": x.ravel(), "none": x[:0],
                            "longer": np.concatenate([x, x]), "huge": 0 * x + 1e308}.items():
                np.save(path, y)
                yield f"{path.name} {name}"
        path.write_bytes(whole)


def write(crease, folder, page, what):
    """True where a page was written; it is looked at by the caller."""
    page.unlink(missing_ok=True)
    done = subprocess.run([crease, "report", folder, "--out", page, "--quiet"], capture_output=True,
                          text=True, errors="replace", timeout=60)
    if done.returncode == 0:
        reader = read(page)
        check(reader.scripts == 2 and not reader.wrong and not reader.open,
              f"{what}: {reader.scripts} scripts, {reader.wrong[:3]}, open {reader.open}")
        check(page.stat().st_size <= 2_000_000, f"{what}: {page.stat().st_size} bytes")
        return True
    lines = done.stderr.strip().splitlines()
    check(done.returncode in SENTENCES and len(lines) == 1 and lines[0].startswith("crease: report: ")
          and not page.exists(), f"{what}: exit {done.returncode}, {done.stderr[-600:]}")
    return False


def pages(crease, folder, names, many, keep=lambda k, what, page: None):
    rng, count = random.Random(14), 0
    for name in names:
        good, bad, page = folder / name, folder / "bad", folder / "bad.html"
        document = json.loads((good / "result.json").read_text())
        shutil.rmtree(bad, ignore_errors=True)
        shutil.copytree(good, bad)
        for what, changed in documents(document, rng, many):
            (bad / "result.json").write_text(json.dumps(changed))
            if write(crease, bad, page, f"{name}: {what}"):
                keep(count, f"{name}: {what}", page)
            count += 1
        (bad / "result.json").write_text(json.dumps(document))
        for what in arrays(bad, rng):
            if rng.random() < .4:
                continue
            if write(crease, bad, page, f"{name}: {what}"):
                keep(count, f"{name}: {what}", page)
            count += 1
        text = (good / "result.json").read_text()
        for what in (text[:len(text) // 2], "", "[]", "null", '{"verb": "regress"}', "[" * 5000):
            (bad / "result.json").write_text(what)
            write(crease, bad, page, f"{name}: result.json {what[:10]}")
    return count


if __name__ == "__main__":
    r = Results(sys.argv[1], sys.argv[2])
    names = [*r.regression()[:2], *r.fluorescence(), *r.problems(), *r.named()]
    many = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    count = pages(r.crease, r.folder, names, many)
    print(f"{count} damaged results")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)
