# SPDX-License-Identifier: MIT
"""Documented examples of other packages, solved by them and by crease in turns.

``python -m rivals`` measures every rival that can be imported, each in a process of its own, and
writes the page.
"""
