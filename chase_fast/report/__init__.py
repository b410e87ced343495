"""Reports of balance runs and tournaments: one HTML file, Markdown, JSON.

A report is made of a *results document*, plain data as JSON knows it, and of nothing else: what
the document does not say, the report does not claim. The HTML file loads nothing from anywhere,
so that it can be sent, kept and printed. The same document gives the same bytes.

Needs the extra ``report`` (matplotlib, jinja2).
"""

from __future__ import annotations

from chase_fast.report.pages import html_report, markdown_report
from chase_fast.report.write import write_report

__all__ = ["html_report", "markdown_report", "write_report"]
