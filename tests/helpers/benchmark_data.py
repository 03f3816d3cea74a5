"""A folder laid out as ``--data`` of the benchmarks, in miniature: collections, topics, judgments and runs."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import NamedTuple

from dumps import rows

from porism.formula import parse_latex, to_mathml


class Subject(NamedTuple):
    """What a question, its answers and a topic are about."""

    name: str
    latex: str


SUBJECTS = tuple(Subject(*line.split(" = ", 1)) for line in r"""
geometric series = \sum_{n=0}^{\infty} x^n = \frac{1}{1-x}
binomial theorem = (a+b)^n = \sum_{k=0}^{n} \binom{n}{k} a^k b^{n-k}
gaussian integral = \int_{-\infty}^{\infty} e^{-t^2} dt = \sqrt{\pi}
triangle inequality = |u+v| \le |u| + |v|
euler identity = e^{i\theta} = \cos\theta + i\sin\theta
harmonic divergence = \sum_{m=1}^{\infty} \frac{1}{m} = \infty
quadratic roots = y = \frac{-q \pm \sqrt{q^2-4pr}}{2p}
determinant product = \det(AB) = \det A \det B
""".strip().splitlines())
YEARS = {"2020": SUBJECTS[:5], "2021": SUBJECTS[3:]}
"""Which subjects the topics of a year ask for: five, as folds of recipes need."""

RUNS = (
    "DPRL_task1_auto_both_A3.tsv", "prim_MIRMU-task1-Ensemble-auto-both-A.tsv",
    "prim_MathDowsers-task1-alpha05noReRank-auto-both-A.tsv", "prim_zbMATH-task1-auto-both-P.tsv",
    "prim_Approach0.tsv",
)
NAMES = Path(__file__).resolve().parents[2] / "benchmarks" / "effectiveness" / "names" / "qrels.txt"
COLUMNS = "id post_id thread_id type comment_id old_visual_id visual_id issue formula".split()


def write_data(folder: Path) -> Path:
    """Writes everything, and returns the folder."""
    write_collection(folder / "arqmath-mini")
    for number, year in enumerate(YEARS):
        write_topics(folder / "arqmath-topics" / year, year, 200 * number)
    write_runs(folder / "arqmath-runs-2020")
    write_statements(folder / "proofwiki")
    write_lean(folder / "mathlib")
    write_entries(folder / "planetmath")
    write_declarations(folder / "conjectures")
    write_book(folder / "napkin")
    for name in ("hott", "openlogic"):
        write_project(folder / "projects" / name)
    _write_lines(folder / "stackmathqa-sample.jsonl", (
        {"Q": f"What is the {subject.name}?", "A": f"It is ${subject.latex}$."} for subject in SUBJECTS
    ))
    return folder


def question(number: int) -> str:
    """The id of the question on a subject by its number."""
    return str(100 * number + 10)


def answer(number: int) -> str:
    """The id of the only relevant answer."""
    return str(100 * number + 11)


def _span(number: int | str, latex: str) -> str:
    return f'<span class="math-container" id="{number}">${escape(latex)}$</span>'


def write_collection(folder: Path) -> None:
    """Of each subject a question, an answer that states it, and one that is about another one."""
    folder.mkdir(parents=True)
    posts: list[dict[str, str]] = []
    formulas: list[tuple[str, ...]] = []

    def formula(post: str, kind: str, latex: str, visual: int) -> str:
        number = str(len(formulas) + 1)
        formulas.append((number, post, question(visual), kind, "", "", str(visual), "", latex))
        return _span(number, latex)

    for number, (name, latex) in enumerate(SUBJECTS):
        asked, right, wrong = question(number), answer(number), str(100 * number + 12)
        posts.append({
            "Id": asked, "PostTypeId": "1", "Title": f"How does one prove the {name}?", "Tags": f"<{name.split()[0]}>",
            "Body": f"<p>I met it in a lecture, with {formula(asked, 'question', latex, number)} on the board.</p>",
        })
        posts.append({
            "Id": right, "ParentId": asked, "PostTypeId": "2", "Score": "5",
            "Body": f"<p>The {name} says {formula(right, 'answer', latex, number)}, by induction.</p>",
        })
        posts.append({
            "Id": wrong, "ParentId": asked, "PostTypeId": "2", "Score": "1",
            "Body": f"<p>Ask elsewhere about {formula(wrong, 'answer', f'z_{number} + {number}', 90 + number)}.</p>",
        })
    (folder / "Posts.V1.3.xml").write_text(rows("posts", posts), encoding="utf-8")
    (folder / "Comments.V1.3.xml").write_text(
        rows("comments", [{"Id": "1", "PostId": answer(0), "Text": "Very clear."}]), encoding="utf-8"
    )
    (folder / "PostLinks.V1.3.xml").write_text(rows("postlinks", [
        {"Id": "1", "PostId": question(0), "RelatedPostId": question(1), "LinkTypeId": "1"}
    ]), encoding="utf-8")
    for kind in ("latex", "slt"):
        table = folder / f"{kind}_representation_v3" / "1.tsv"
        table.parent.mkdir()
        table.write_text("\t".join(COLUMNS) + "\n" + "".join(
            "\t".join((*cells, latex if kind == "latex" else _quoted(to_mathml(parse_latex(latex))))) + "\n"
            for *cells, latex in formulas
        ), encoding="utf-8")


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def write_topics(folder: Path, year: str, first: int) -> None:
    """Topics of both tasks, and judgments that call one answer and one formula relevant, and the others not."""
    folder.mkdir(parents=True)
    tasks: dict[int, list[str]] = {1: [], 2: []}
    judgments: dict[int, list[str]] = {1: [], 2: []}
    for number, (name, latex) in enumerate(SUBJECTS):
        if (name, latex) not in YEARS[year]:
            continue
        body = f"<p>Why does {_span(f'q_{number}', latex)} hold?</p>"
        text = (
            f"<Title>Proof of the {name}</Title>\n<Question>{escape(body)}</Question>\n"
            f"<Tags>{name.split()[0]}</Tags>\n"
        )
        topic = first + number + 1
        tasks[1].append(f'<Topic number="A.{topic}">\n{text}</Topic>\n')
        tasks[2].append(
            f'<Topic number="B.{topic}">\n<Formula_Id>q_{number}</Formula_Id>\n<Latex>{escape(latex)}</Latex>\n'
            f"{text}</Topic>\n"
        )
        for other in range(len(SUBJECTS)):
            gain = 3 * (other == number)
            judgments[1].append(f"A.{topic}\t0\t{answer(other)}\t{gain}\n")
            judgments[2].append(f"B.{topic}\t0\t{other}\t{gain}\n")
    for task, topics in tasks.items():
        ending = ".tsv" if task == 1 else "_visual_id.v3.tsv"
        (folder / f"Topics_Task{task}_{year}.xml").write_text(
            f'<?xml version="1.0" ?>\n<Topics>\n{"".join(topics)}</Topics>\n', encoding="utf-8"
        )
        (folder / f"qrel_task{task}_{year}{ending}").write_text("".join(judgments[task]), encoding="utf-8")
    heads = "Topic,Dependency,Difficulty,Category"
    topics_of = [first + SUBJECTS.index(subject) + 1 for subject in YEARS[year]]
    (folder / f"Task1_ARQMath{int(year) - 2019}_Topic_Information.csv").write_text(
        "\n".join([heads, *(f"A.{topic},Both,Low,Proof" for topic in topics_of)]) + "\n", encoding="utf-8"
    )


def write_runs(folder: Path) -> None:
    """Five runs of 2020: the first is perfect, and each of the others puts the relevant answer a rank lower."""
    folder.mkdir(parents=True)
    for place, name in enumerate(RUNS):
        lines = []
        for number in range(len(YEARS["2020"])):
            others = [other for other in range(len(SUBJECTS)) if other != number]
            ranking = [*others[:place], number, *others[place:]]
            lines += [
                f"A.{number + 1}\tQ0\t{answer(found)}\t{rank}\t{20 - rank}\tRun_{place}\n"
                for rank, found in enumerate(ranking, 1)
            ]
        (folder / name).write_text("".join(lines), encoding="utf-8")


def write_statements(folder: Path) -> None:
    """Statements that use one another, and those that the queries about names ask for."""
    folder.mkdir(parents=True)
    named = [name for query, name in _named() if query.startswith("proofwiki-")]
    texts = [(f"s{number}", f"Let the {name} hold. Then ${latex}$.") for number, (name, latex) in enumerate(SUBJECTS)]
    texts += [(f"p{number}", f"By the {name}, ${latex}$ follows.") for number, (name, latex) in enumerate(SUBJECTS)]
    texts += [(name, f"Statement number {number} is about $w_{{{number}}}$.") for number, name in enumerate(named)]
    _write_lines(folder / "statements.jsonl", (
        {"id": name, "type": "theorem", "category": "Numbers" if number % 2 else "Topology", "text": text}
        for number, (name, text) in enumerate(texts)
    ))
    judged = []
    for name, text in texts[:len(SUBJECTS)]:
        start = text.index("$")
        judged.append(f"proofwiki\t{name}\t0\t{len(text)}\t{start}-{text.rindex('$') - 1}\t\n")
    (folder / "judged.tsv").write_text("".join(judged), encoding="utf-8")
    for part in ("dev", "train"):
        (folder / f"premises.{part}.tsv").write_text(
            "".join(f"s{number} 0 p{number} 1\n" for number in range(len(SUBJECTS))), encoding="utf-8"
        )


def write_lean(folder: Path) -> None:
    """A file of Lean, and names of its theorems."""
    (folder / "Mathlib").mkdir(parents=True)
    names = [name.replace(" ", "_") for name, _ in SUBJECTS]
    (folder / "Mathlib" / "Basic.lean").write_text("".join(
        f"/-- The {name.replace('_', ' ')}. -/\ntheorem {name} (n : Nat) : n + {number} = {number} + n := by\n"
        "  omega\n\n" for number, name in enumerate(names)
    ), encoding="utf-8")
    _write_topics(folder, "dev-queries.tsv", "dev-qrels.txt", {
        f"{number}-1": (name.replace("_", " "), name) for number, name in enumerate(names)
    })


def write_entries(folder: Path) -> None:
    """Entries of an encyclopedia with synonyms, defined terms and related entries."""
    folder.mkdir(parents=True)
    names = [name.title().replace(" ", "") for name, _ in SUBJECTS]
    _write_lines(folder / "docs.jsonl", (
        {"id": key, "title": name, "type": "Theorem", "text": f"The {name} is ${latex}$."}
        for key, (name, latex) in zip(names, SUBJECTS, strict=True)
    ))
    for part in ("synonyms", "defines"):
        _write_topics(folder, f"{part}.tsv", f"{part}.qrels", {
            f"{part[0]}{number}": (subject.name, names[number]) for number, subject in enumerate(SUBJECTS)
        })
    _write_topics(folder, "related.tsv", "related.qrels", {
        key: (f"See also the {SUBJECTS[number - 1].name}.", names[number - 1]) for number, key in enumerate(names)
    })


def write_declarations(folder: Path) -> None:
    """Declarations without docstrings, and docstrings that ask for them."""
    folder.mkdir(parents=True)
    _write_lines(folder / "docs.jsonl", (
        {"id": f"Known/{number}", "title": "", "text": f"theorem {name.replace(' ', '_')} : {number} = {number}"}
        for number, (name, _) in enumerate(SUBJECTS)
    ))
    for part in ("dev", "train"):
        _write_topics(folder, f"queries.{part}.tsv", f"qrels.{part}.txt", {
            f"q{number}": (f"The {subject.name}.", f"Known/{number}") for number, subject in enumerate(SUBJECTS)
        })


def write_book(folder: Path) -> None:
    """A book in LaTeX that has the units which the queries about names ask for: by label, or by file and number."""
    files: defaultdict[str, dict[str, int]] = defaultdict(dict)
    labels = []
    for query, name in _named():
        if query.startswith("napkin-"):
            file, _, unit = name.partition("#")
            if unit:
                kind, _, number = unit.partition("-")
                files[file][kind] = max(files[file].get(kind, 0), int(number))
            else:
                labels.append(name)
    files["tex/labels.tex"] = {}
    for file, kinds in files.items():
        parts = [rf"\chapter{{{Path(file).stem}}}"]
        for kind, count in kinds.items():
            parts += [
                rf"\section{{Part {number}}} Words of the part." if kind == "section"
                else f"\\begin{{{kind}}}\nUnit {number} has $u_{number}$.\n\\end{{{kind}}}"
                for number in range(1, count + 1)
            ]
        if file == "tex/labels.tex":
            parts += [f"\\begin{{theorem}}\n\\label{{{label}}}\nIt has $v_{{{number}}}$.\n\\end{{theorem}}"
                      for number, label in enumerate(labels)]
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    kinds = ("theorem", "corollary", "definition", "problem", "lemma")
    (folder / "Napkin.tex").write_text("\n".join([
        r"\documentclass{book}", *(rf"\newtheorem{{{kind}}}{{{kind.title()}}}" for kind in kinds),
        r"\begin{document}", *(rf"\input{{{file.removesuffix('.tex')}}}" for file in files), r"\end{document}", "",
    ]), encoding="utf-8")


def write_project(folder: Path) -> None:
    """A LaTeX project with a theorem for each subject, in two files."""
    folder.mkdir(parents=True)
    (folder / "main.tex").write_text(
        "\\documentclass{article}\n\\newtheorem{theorem}{Theorem}\n\\begin{document}\n\\section{Beginning}\n"
        "What we need.\n\\input{theorems}\n\\end{document}\n", encoding="utf-8"
    )
    (folder / "theorems.tex").write_text("\\section{Theorems}\n" + "".join(
        f"\\begin{{theorem}}[{name}]\n  Always ${latex}$.\n\\end{{theorem}}\n" for name, latex in SUBJECTS
    ), encoding="utf-8")


def _named() -> list[tuple[str, str]]:
    """The judgments about names: query, and what it asks for."""
    return [(line.split()[0], line.split()[2]) for line in NAMES.read_text(encoding="utf-8").splitlines()]


def _write_lines(path: Path, records: Iterable[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


def _write_topics(folder: Path, topics: str, qrels: str, wanted: dict[str, tuple[str, str]]) -> None:
    """Queries and judgments: id → text, and the only relevant document."""
    (folder / topics).write_text("".join(f"{key}\t{text}\n" for key, (text, _) in wanted.items()), encoding="utf-8")
    (folder / qrels).write_text("".join(f"{key} 0 {found} 1\n" for key, (_, found) in wanted.items()), encoding="utf-8")
