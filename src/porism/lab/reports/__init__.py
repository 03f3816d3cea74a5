"""Reports on runs: tables as text, HTML, LaTeX and CSV, and the plots that go with them.

Numbers come from ``porism.lab.evaluate``; here they are put into words, tables and pictures. Matplotlib draws and Jinja
fills in the page; both come with ``porism[lab]`` and are loaded when they are needed.
"""

from __future__ import annotations

from porism.lab.reports.ablations import Ablation, make_ablation
from porism.lab.reports.building import make_report, report_values
from porism.lab.reports.canvas import Plot
from porism.lab.reports.details import tuning_curves
from porism.lab.reports.extensions import FusionExtension
from porism.lab.reports.files import check_folder, check_target
from porism.lab.reports.html import html_page, write_html
from porism.lab.reports.latex import latex_tables, write_latex
from porism.lab.reports.picture import svg
from porism.lab.reports.plots import plots, write_plots
from porism.lab.reports.report import Report, TuningCurve
from porism.lab.reports.tables import summary_csv, topics_csv, write_csv
from porism.lab.reports.text import text_table

__all__ = [
    "Ablation",
    "FusionExtension",
    "Plot",
    "Report",
    "TuningCurve",
    "check_folder",
    "check_target",
    "html_page",
    "latex_tables",
    "make_ablation",
    "make_report",
    "plots",
    "report_values",
    "summary_csv",
    "svg",
    "text_table",
    "topics_csv",
    "tuning_curves",
    "write_csv",
    "write_html",
    "write_latex",
    "write_plots",
]
