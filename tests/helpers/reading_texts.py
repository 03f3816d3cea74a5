"""Texts that refer to one another: a paper in LaTeX, notes with wiki links, and answers to questions."""

from __future__ import annotations

import json
from pathlib import Path

PAPER = r"""\documentclass{article}
\usepackage{amsthm,cleveref}
\newtheorem{theorem}{Theorem}
\newtheorem{lemma}[theorem]{Lemma}
\title{A paper}
\begin{document}
\section{Beginnings}
Words before.
\begin{lemma}[Five lemma]\label{lem:five} Let $x^2+y^2=z^2$. \end{lemma}
\begin{lemma}\label{lem:bare} We have $a^2+b^2\ge 2ab$. \end{lemma}
\begin{theorem}\label{thm:x} By \cref{lem:five}, Lemma~\ref{lem:bare} and \cref{lem:missing},
$x^2+y^2=z^2$. \end{theorem}
\begin{proof} See \cref{lem:five} and \cref{thm:x}. \end{proof}
\section{Ends}
All ends.
\end{document}
"""

NOTES = {
    "Group.md": "# Group\nA set with $xy$. See [[Ring]], [[Homomorphism#Kernel|the kernel]] and [rings](Ring.md).\n",
    "Ring.md": "# Ring\nA [[Group]] with more. ![[picture.png]] [[Not there]] [elsewhere](https://example.org)\n",
    "Homomorphism.md": "# Homomorphism\nA map.\n",
}


def write_texts(folder: Path) -> list[Path]:
    """Writes the texts into an empty folder; the sources."""
    paper, notes, answers = (folder / name for name in ("paper", "notes", "answers.jsonl"))
    for own in (paper, notes):
        own.mkdir()
    (paper / "main.tex").write_text(PAPER, encoding="utf-8")
    for name, text in NOTES.items():
        (notes / name).write_text(text, encoding="utf-8")
    posts = [
        {"id": f"p{number}", "question_id": question, "type": kind, "title": f"Question {question}",
         "body": f"Answer {number} is $x^2+y^2=z^2$.\nAnd a second line of it.", "comments": "One comment.\nAnother."}
        for number, (question, kind) in enumerate(
            [("1", "answer"), ("1", "question"), ("2", "answer"), ("1", "answer")]
        )
    ]
    posts[0]["linked"] = ["2", "9"]
    answers.write_text("".join(f"{json.dumps(post)}\n" for post in posts), encoding="utf-8")
    return [paper, notes, answers]
