"""PDFs that are figures of LaTeX are no documents; other PDFs beside it are."""

from __future__ import annotations

from pathlib import Path

from porism.corpus.base import ReaderOptions
from porism.corpus.registry import FORMATS, source_groups
from porism.errors import Problem


def test_figures_are_left_out_and_reported(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(FORMATS, "missing_extra", lambda format, path: None)
    names = ("figs/curve.pdf", "figs/plot.v2.pdf", "talk.pdf", "anc/appendix.pdf", "over.pdf", "other/curve.pdf")
    for name in names:
        (tmp_path / "paper" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "paper" / name).write_bytes(b"%PDF-1.4")
    (tmp_path / "curve.pdf").write_bytes(b"%PDF-1.4")
    (tmp_path / "paper" / "main.tex").write_text(
        "\\documentclass{article}\\graphicspath{{figs/}}\\begin{document}\n\\includegraphics[width=3cm]{figs/curve}\n"
        "\\includegraphics{ plot.v2.pdf }\\includepdf{anc/appendix.pdf}\n"
        "\\begin{overpic}[scale=1]{over}\\end{overpic}\\end{document}\n"
    )
    problems: list[Problem] = []
    groups = source_groups(tmp_path, None, ReaderOptions(), problems.append)
    read = sorted(group.name for group in groups.groups if group.format == "pdf")
    assert read == ["curve.pdf", "paper/anc/appendix.pdf", "paper/talk.pdf"]
    assert [problem.what for problem in problems] == [
        "4 PDFs that LaTeX includes as figures left out; name such a file to read it"
    ]
