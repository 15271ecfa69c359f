# SPDX-License-Identifier: MIT
"""Results as notebooks show them: the head of the report and its first picture."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, List, Optional

from . import _call
from ._errors import Error

if TYPE_CHECKING:
    from ._folder import Answer

# The page's own words and marks, within one box: nothing of it touches the notebook around.
_STYLE = """
.crease{--paper:#fff;--panel:#f6f7f9;--ink:#1b1f24;--muted:#5b6470;--rule:#d5dbe3;--grid:#e6eaef;
--ok:#12704a;--okbg:#e7f5ed;--bad:#a32020;--badbg:#fbe9e7;--warn:#8a5a00;--warnbg:#fdf3dc;
--c1:#1f6fb4;--c2:#bb4d08;--c3:#12805c;--c4:#8350b8;--c5:#b8336a;--c6:#7a6a1a;
--k1:#fdeee2;--k2:#fbd9bd;--k3:#f7bf92;--k4:#ec9c58;--k5:#d67a2c;--k6:#b35914;--k7:#8e3c0a;
--k8:#652403;
background:var(--paper);color:var(--ink);max-width:860px;padding:14px 18px;border-radius:8px;
border:1px solid var(--rule);font:14px/1.45 system-ui,sans-serif;font-variant-numeric:tabular-nums}
[data-jp-theme-light=false] .crease,.vscode-dark .crease{--paper:#14171b;--panel:#1c2026;
--ink:#e7eaee;--muted:#a2abb6;--rule:#3a424d;--grid:#2a3038;--ok:#6fd3a3;--okbg:#163024;
--bad:#ff9c92;--badbg:#3d1d1b;--warn:#f0c05a;--warnbg:#362a10;--c1:#6cb2f2;--c2:#f79a5a;
--c3:#5fcf9f;--c4:#c39bf0;--c5:#f58ab2;--c6:#d6c25a;
--k1:#33261d;--k2:#4f3420;--k3:#714421;--k4:#965621;--k5:#bd6c25;--k6:#e08a3c;--k7:#f5b171;
--k8:#ffe1c4}
.crease .kicker{color:var(--muted);margin:0;font-size:13px}
.crease .lede{font-size:16px;margin:2px 0 12px}
.crease .verdict{display:flex;gap:12px;align-items:flex-start;border-left:4px solid;
border-radius:6px;padding:8px 12px;margin:0 0 12px}
.crease .verdict p{margin:0}.crease .verdict svg{flex:none;width:22px;height:22px}
.crease .verdict path{fill:none;stroke:var(--paper);stroke-width:2.6;stroke-linecap:round}
.crease .ok{background:var(--okbg);border-color:var(--ok)}.crease .ok b{color:var(--ok)}
.crease .ok circle{fill:var(--ok)}.crease .warn{background:var(--warnbg);border-color:var(--warn)}
.crease .warn b{color:var(--warn)}.crease .warn circle{fill:var(--warn)}
.crease .bad{background:var(--badbg);border-color:var(--bad)}.crease .bad b{color:var(--bad)}
.crease .bad circle{fill:var(--bad)}
.crease .cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(100px,1fr));gap:8px;
margin:0}
.crease .card{background:var(--panel);border-radius:8px;padding:7px 11px}
.crease .card dt,.crease .card dd{float:none;clear:none;display:block;width:auto;margin:0;
padding:0}.crease .card dt{font-size:12px;font-weight:400;color:var(--muted)}
.crease .card dd{font-size:18px;font-weight:600}
.crease small{display:block;font-size:11.5px;font-weight:400;color:var(--muted)}
.crease figure{margin:14px 0 0}.crease figcaption,.crease h3{font-size:13px;
margin:0 0 4px;font-weight:600}.crease figcaption span{color:var(--muted);font-weight:400}
.crease figcaption{display:flex;justify-content:space-between;gap:12px}
.crease figcaption b{color:var(--ink);margin-right:.6em}
.crease .cb,.crease .kb{display:inline-flex;align-items:center;gap:6px}.crease .kb{gap:0}
.crease .kb i{width:14px;height:10px}.crease svg .cells{shape-rendering:crispEdges}
.crease svg.chart{width:100%;height:auto;display:block;overflow:visible}
.crease svg text{font:12px system-ui,sans-serif;fill:var(--muted)}.crease svg .t{fill:var(--ink)}
.crease svg .n{fill:var(--paper);font-weight:600}.crease svg .h{paint-order:stroke;
stroke:var(--paper);stroke-width:4px}.crease svg .f{fill:none;stroke:var(--rule)}
.crease svg .g{stroke:var(--grid)}.crease svg .b{stroke:var(--muted)}
.crease svg .l{fill:none;stroke-width:2;stroke-linejoin:round}.crease .quiet .l{stroke-width:1;
opacity:.45}.crease svg .d{stroke-width:1.5;stroke-dasharray:5 4}
.crease svg .o{fill:none;stroke-width:2}
"""


def _page(answer: "Answer") -> str:
    """The report, as ``crease report`` makes it; empty where a result has none."""
    argv = ["report", "memory:result", "--out", "memory:out/page.html", "--quiet"]
    try:
        return str(_call.run(argv, answer._as_files()).files["page.html"])
    except Error:
        return ""


def _first(pattern: str, text: str) -> str:
    found = re.search(pattern, text, re.S)
    return found[0] if found else ""


def _picture(page: str) -> str:
    """The first chart, with what stands above it."""
    for inside in re.findall(r"<figure[^>]*>(.*?)</figure>", page, re.S):
        found = re.search(r'<svg class="chart[^>]* viewBox="0 0 (\d+)', inside)
        if found:
            return f'<figure style="max-width:{found[1]}px">{inside}</figure>'
    return ""


def head_html(answer: "Answer") -> str:
    """One sentence, the verdict, the numbers and a picture; no resource from elsewhere."""
    page = _page(answer)
    head = re.sub(r"<h1>.*?</h1>", "", _first(r"(?<=<header>).*?(?=</header>)", page), flags=re.S)
    if not head:
        return f"<pre>{html.escape(answer.summary)}</pre>"
    return f'<style>{_STYLE}</style><div class="crease">{head}{_picture(page)}</div>'


def _plain(marked: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", marked)).strip()


def head_text(answer: "Answer") -> str:
    """The same as text, of a result that has no summary with it."""
    head = _first(r"(?<=<header>).*?(?=</header>)", _page(answer))
    lines: List[Optional[str]] = [
        _plain(_first(r'<p class="lede">.*?</p>', head)),
        _plain(_first(r'<div class="verdict.*?</div>', head)),
    ]
    for name, value, about in re.findall(
        r"<dt>(.*?)</dt><dd>(.*?)<small>(.*?)</small>", head, re.S
    ):
        lines.append(f"  {_plain(name).lower():<14} {_plain(value)}, {_plain(about)}")
    d = answer.document
    return "\n".join(x for x in lines if x) or f"{d['verb']} {d['model']}: {d['outcome_text']}"
