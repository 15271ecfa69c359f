# SPDX-License-Identifier: MIT
"""pages.py CREASE FOLDER: the pages of every verb in a real browser."""
import csv, math, re, sys, time
from pathlib import Path
import numpy as np
import hostile
from browser import Browser
from results import Results

passed, failed = 0, 0
MOST = 2_000_000


def check(holds, what):
    global passed, failed
    if holds:
        passed += 1
    else:
        failed += 1
        print("FAILED", what)


def number(text):
    """What a person reads as a number: true minus, thin spaces, powers of ten, percent."""
    t = text.strip().replace("\u2212", "-").replace("\u202f", "").replace(" ", "")
    share = t.endswith("%")
    t = t.rstrip("%")
    m = re.fullmatch(r"(-?)(?:([\d.]+)·)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", t)
    if m:
        power = int(m[3].translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")))
        t = f"{m[1]}{m[2] or 1}e{power}"
    try:
        return float(t) / (100 if share else 1)
    except ValueError:
        return math.nan


def near(text, value, digits):
    """Is it this value, to so many significant digits?"""
    x = number(text)
    return x == value or abs(x - value) <= .501 * 10 ** (1 - digits) * abs(value)


TABLES = """return [...document.querySelectorAll('table')].map(t => ({
  section: (t.closest('section') || {querySelector: () => ({})}).querySelector('h2').id,
  head: [...t.querySelectorAll('thead th')].map(c => c.innerText.trim()),
  rows: [...t.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.innerText.trim())),
  values: [...t.querySelectorAll('tbody tr')].map(r => [...r.cells].map(c => c.dataset.v))}))"""
TEXTS = """return [...document.querySelectorAll('h1,h2,h3,.lede,.say,.note,.verdict p,dt,dd,td,th,caption')]
  .filter(e => !e.closest('#view')).map(e => e.textContent.trim())"""


def table(b, section):
    return next((t for t in b.run(TABLES) if t["section"] == section), None)


def cards(b):
    return dict(b.run("return [...document.querySelectorAll('.card')].map(c => "
                      "[c.querySelector('dt').textContent, c.querySelector('dd').firstChild.textContent])"))


def drawn(b, name, path):
    """Both themes, wide and narrow: nothing is said on the console, nothing is asked for."""
    for theme in ("light", "dark"):
        for width in (1200, 500):
            b.open(path, theme, width)
            console, asked = b.heard()
            check(not console, f"{name} {theme} {width}: the console says {console}")
            check(asked in ([], [Path(path).resolve().as_uri()]), f"{name}: the page asks for {asked}")
            faults = b.faults()
            check(not faults, f"{name} {theme} {width}:\n   " + "\n   ".join(faults))
    check(Path(path).stat().st_size <= MOST, f"{name}: the page has more than 2 MB")


def plain(b, name, path):
    """Without scripts the same words are there, but for the slices."""
    b.open(path)
    wanted = b.run(TEXTS)
    b.open(path, scripts=False)
    document = b.driver.page_source
    b.command("Emulation.setScriptExecutionDisabled", value=False)
    b.driver.get("about:blank")
    got = b.run("const d = new DOMParser().parseFromString(arguments[0], 'text/html');"
                + TEXTS.replace("document.", "d."), document)
    check(wanted == got, f"{name}: without scripts other words: "
          f"{[(x, y) for x, y in zip(wanted, got) if x != y][:3]}")


def by_keys(b, name, path):
    """Every stop of the Tab key is seen, and they come in the order of the page."""
    b.open(path)
    stops = []
    for _ in range(40):
        b.keys("TAB")
        at = b.run("""const e = document.activeElement, s = getComputedStyle(e);
          if (e === document.body) return null;
          const all = [...document.querySelectorAll('*')];
          return [all.indexOf(e), e.tagName, s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1]""")
        if at is None or (stops and at[0] <= stops[-1]):
            break
        stops.append(at[0])
        check(at[2], f"{name}: focus of {at[1]} is not to be seen")
    check(len(stops) > 3, f"{name}: the Tab key stops {len(stops)} times only")


def theme_button(b, name, path):
    b.open(path)
    paper = "return getComputedStyle(document.body).backgroundColor"
    before = b.run(paper)
    b.run("document.getElementById('theme').click()")
    check(b.run(paper) != before, f"{name}: the button does not change light and dark")
    check(not b.faults(), f"{name}: faults after the button: {b.faults()}")


def slider(b, name, path):
    """The slider moves by keys; the words and the pictures follow; links go to their slice."""
    b.open(path)
    state = """return [document.getElementById('where').value, document.getElementById('slice').value,
      [...document.querySelectorAll('[data-part] canvas')].map(c => c.toDataURL()).join()]"""
    b.run("document.getElementById('slice').focus()")
    before = b.run(state)
    b.keys("ARROW_LEFT" if int(before[1]) else "ARROW_RIGHT")
    after = b.run(state)
    check(before[0] != after[0], f"{name}: the words beside the slider do not follow")
    check(before[2] != after[2], f"{name}: the pictures do not follow the slider")
    count = b.run("return document.querySelectorAll('[data-go]').length")
    check(count > 0, f"{name}: no table leads to a slice")
    for k in {0, count - 1} if count else ():
        word = b.run("const x = document.querySelectorAll('[data-go]')[arguments[0]]; x.click();"
                     "return x.dataset.go.split(',').find(t => t !== '')", k)
        check(b.run(state)[1] == word, f"{name}: link {k} does not lead to its slice")
    check(b.heard()[0] == [], f"{name}: the console speaks after the slider")


def sorting(b, name, path):
    b.open(path)
    columns = b.run("return [...document.querySelectorAll('table.sort')].map(t => "
                    "[...t.querySelectorAll('thead th')].map((h, k) => h.querySelector('button') ? k : -1).filter(k => k >= 0))")
    check(columns, f"{name}: no table can be sorted")
    for t, list_ in enumerate(columns):
        for k in list_:
            for turn in ("descending", "ascending"):
                said, values = b.run("""const t = document.querySelectorAll('table.sort')[arguments[0]];
                  const h = t.querySelectorAll('thead th')[arguments[1]]; h.querySelector('button').click();
                  return [h.getAttribute('aria-sort'), [...t.tBodies[0].rows].map(r => { const c = r.cells[arguments[1]];
                    return c.dataset.v === undefined ? c.innerText.trim() : +c.dataset.v; })]""", t, k)
                values = [v for v in values if v is not None]
                right = sorted(values, reverse=said == "descending",
                               key=None if not isinstance(values[0], str) else str.casefold)
                check(values == right, f"{name}: column {k} is not {said}: {values[:5]}")
                check(said in ("ascending", "descending"), f"{name}: column {k} does not say its order")


def printed(b, name, path):
    b.open(path)
    import base64
    pdf = base64.b64decode(b.command("Page.printToPDF", printBackground=True)["data"])
    pages = len(re.findall(rb"/Type\s*/Page\b", pdf))
    check(1 <= pages <= 8, f"{name}: {pages} pages on paper")


def harmless(b, r, name):
    """Words that are markup, and numbers that are none: nothing of it runs or is asked for."""
    import json, random, shutil
    for what, document in list(hostile.documents(r.document(name), random.Random(1), 0))[:3]:
        shutil.rmtree(r.folder / "bad", ignore_errors=True)
        shutil.copytree(r.folder / name, r.folder / "bad")
        (r.folder / "bad/result.json").write_text(json.dumps(document))
        if r.run("report", "bad", "--out", "bad.html", "--quiet", codes=(0, 65)).returncode:
            continue
        b.open(r.folder / "bad.html")
        console, asked = b.heard()
        check(not console and asked in ([], [(r.folder / "bad.html").resolve().as_uri()]),
              f"{name} with {what}: the console says {console}, asked for {asked}")
        check(b.run("return document.querySelectorAll('script').length") == 2, f"{name} with {what}: more scripts")
        odd = [f for f in b.faults() if "no number in a chart" in f or "the text has" in f]
        check(not odd, f"{name} with {what}: {odd}")


def regress_numbers(b, r, name, path):
    d, folder = r.document(name), r.folder / name
    b.open(path)
    details = d["details"]
    at = (details["cross_validation"] or {"best": len(details["solutions"])})["best"] - 1
    coef = np.load(folder / "coefficients.npy")[at]
    shown = cards(b)
    check(number(shown["Selected"]) == np.count_nonzero(coef[1:]), f"{name}: selected {shown}")
    check(near(shown["Lambda"], details["solutions"][at]["lambda"], 3), f"{name}: lambda {shown}")
    names = details["column_names"]
    rows, values = table(b, "coefficients")["rows"], table(b, "coefficients")["values"]
    got = {re.sub(r"^\d+\s+", "", row[0]): (row[1], float(v[1])) for row, v in zip(rows, values)}
    want = {names[i]: coef[1 + i] for i in np.flatnonzero(coef[1:])}
    check(set(got) == set(want), f"{name}: columns {set(got) ^ set(want)}")
    check(all(near(got[k][0], want[k], 4) and abs(got[k][1] - want[k]) < 1e-8 for k in want),
          f"{name}: coefficients differ")
    X = np.array([[float(v) for v in row] for row in list(csv.reader(open(r.folder / "X.csv")))[1:]])
    score = coef[0] + X @ coef[1:]
    said = b.run("return document.getElementById('fit').closest('section').querySelector('.say').textContent")
    said = [number(t) for t in re.findall(r"[\d.]+ %|[\d.]+", said)]
    if d["model"] == "logistic":
        y = np.loadtxt(r.folder / "c.csv")
        pairs = score[y == 1][:, None] - score[y == 0][None, :]
        area = np.mean((pairs > 0) + .5 * (pairs == 0))
        check(abs(said[1] - area) < 6e-4 and abs(said[0] - np.mean((score > 0) == (y == 1))) < 6e-4,
              f"{name}: area {area} and {said}")
        rows = table(b, "fit")["rows"]
        want = [[np.sum((y == k) & ((score > 0) == bool(s))) for s in (0, 1)] for k in (0, 1)]
        check([[number(t) for t in row[1:3]] for row in rows] == want, f"{name}: confusion {rows}")
    else:
        y = np.loadtxt(r.folder / "y.csv")
        fit = 1 - np.sum((y - score) ** 2) / np.sum((y - y.mean()) ** 2)
        check(abs(said[0] - fit) < 6e-4, f"{name}: fit {fit} and {said}")
        dots = b.run("return document.getElementById('fit').closest('section').querySelector('svg').querySelectorAll('circle').length")
        check(dots == len(y), f"{name}: {dots} dots for {len(y)} rows")


def spca_numbers(b, r, name, path):
    d, folder = r.document(name)["details"], r.folder / name
    b.open(path)
    check(abs(number(cards(b)["Explained"]) - d["explained"]) < 6e-4, f"{name}: explained {cards(b)}")
    factors = [np.load(folder / f"factor_{n + 1}.npy") for n in range(len(d["shape"]))]
    rows = table(b, "explained")["rows"]
    for k, c in enumerate(d["components"]):
        many = [np.count_nonzero(f[:, k]) for f in factors]
        check(many == c["nonzeros"] == [int(t) for t in rows[k][3:3 + len(many)]], f"{name}: nonzeros {rows[k]}")
        check(near(rows[k][1], c["sigma"], 4), f"{name}: weight {rows[k]}")
        check(rows[k][4 + len(many)].startswith(f"{c['agree']} of {c['starts']}"), f"{name}: starts {rows[k]}")
    bars = b.run("return [...document.getElementById('loadings').closest('section').querySelectorAll('svg')]"
                 ".map(s => s.querySelectorAll('rect').length)")
    want = [np.count_nonzero(f[:, k]) for k in range(len(d["components"])) for f in factors]
    check(bars == want, f"{name}: bars {bars}, loadings {want}")


def spca_names(b, r, name, path):
    """The largest loadings of a mode with names: the same ones in the same order."""
    b.open(path)
    header = (r.folder / "X.csv").read_text().splitlines()[0].split(",")
    x = np.load(r.folder / name / "factor_2.npy")[:, 0]
    want = [header[i] for i in np.argsort(-abs(x), kind="stable")[:min(12, np.count_nonzero(x))]]
    got = [row[0] for row in table(b, "loadings")["rows"]]
    check(got == want, f"{name}: {got} and {want}")


def apply_numbers(b, r, name, path):
    slices = r.document(name)["details"]["slices"]
    b.open(path)
    t = table(b, "slices")
    check(len(t["rows"]) == len(slices), f"{name}: {len(t['rows'])} of {len(slices)} slices")
    for row, value in zip(t["rows"], t["values"]):
        s = slices[int(value[0])]
        for k, key in enumerate(("share", "energy", "scale", "distance")):
            check(abs(float(value[1 + k]) - s[key]) <= 1e-8 * abs(s[key]), f"{name}: {key} {row}")
            check(near(row[1 + k], s[key], 3), f"{name}: {key} {row} {s[key]}")
    out = {row[0] for row in t["rows"] if row[5] != "as usual"}
    check(out == {"3", "6"}, f"{name}: slice 3 is spoilt and 6 is three times another; stand out: {out}")
    check(int(b.run("return document.getElementById('slice').value")) == int(t["rows"][0][0]) - 1,
          f"{name}: the pictures do not begin with the slice that stands out most")


def solve_numbers(b, r, name, path):
    d, folder = r.document(name), r.folder / name
    b.open(path)
    shown = cards(b)
    check(near(shown["Objective"], d["objective"], 5), f"{name}: objective {shown}")
    check(near(shown["Residual"], d["residual"], 2), f"{name}: residual {shown}")
    arrays = {k: np.load(folder / f) for k, f in d["details"]["x_files"].items()}
    check(number(shown["Zeros"]) == sum(np.sum(x == 0) for x in arrays.values()), f"{name}: zeros {shown}")
    rows = table(b, "theory")["rows"]
    want = d["details"]["analysis"]["assumptions"]
    check([row[0] for row in rows] == [a["name"] for a in want], f"{name}: assumptions {rows}")
    check(all(a["status"] in row[2] and row[4] == a["reason"] for row, a in zip(rows, want)), f"{name}: {rows}")
    for x in arrays.values():
        if x.ndim == 1 and x.size <= 24:
            values = [float(v[1]) for v in table(b, "answer")["values"]]
            check(values == list(x), f"{name}: entries {values}")
        if x.ndim == 2:
            runs = b.run("return [...document.querySelectorAll('svg.heat path')].map(e => e.getAttribute('d')).join('')")
            runs = re.findall(r"M[\d.]+ [\d.]+h([\d.]+)v([\d.]+)", runs)
            cells = sum(round(float(w) / float(s)) for w, s in runs)
            check(cells == np.count_nonzero(x), f"{name}: {cells} cells, {np.count_nonzero(x)} entries not zero")


def main(crease, folder):
    r = Results(crease, folder)
    regressions, fluorescence, problems = r.regression(), r.fluorescence(), r.problems()
    names = regressions + fluorescence + problems + r.named()
    paths = {name: r.page(name) for name in names}
    paths["check"] = r.check_page()
    start = time.time()
    with Browser(folder) as b:
        for name, path in paths.items():
            drawn(b, name, path)
            plain(b, name, path)
            by_keys(b, name, path)
        theme_button(b, "seen", paths["seen"])
        for name in ("parts", "seen"):
            slider(b, name, paths[name])
        for name in ("numbers", "seen", "vector"):
            sorting(b, name, paths[name])
        for name in ("numbers", "sparse", "picture"):
            printed(b, name, paths[name])
        for name in names:
            harmless(b, r, name)
        for name in regressions:
            regress_numbers(b, r, name, paths[name])
        spca_numbers(b, r, "sparse", paths["sparse"])
        spca_names(b, r, "named", paths["named"])
        apply_numbers(b, r, "seen", paths["seen"])
        for name in problems:
            solve_numbers(b, r, name, paths[name])
    print(f"{len(paths)} pages, {time.time() - start:.1f} s in the browser")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
