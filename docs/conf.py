"""Sphinx: scripts/make-docs copies the pages and builds them from there."""
project = "crease"
author = "the crease maintainers"
copyright = "2026, the crease maintainers"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["man"]
myst_heading_anchors = 4
smartquotes = False  # --out stays --out
html_theme = "alabaster"
html_title = "crease"
html_theme_options = {
    "description": "certified structured nonconvex and nonsmooth optimization",
    "fixed_sidebar": True,
    "font_family": "system-ui, sans-serif",
    "head_font_family": "system-ui, sans-serif",
    "page_width": "1160px",
    "body_max_width": "auto",  # lines of a hundred columns
    "show_powered_by": False,
}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_copy_source = False
html_show_sourcelink = False
