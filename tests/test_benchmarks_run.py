"""Every benchmark runs to its end on data in miniature, and prints the rows and the figures that it should."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
from benchmark_data import write_data
from benchmarks import __main__ as command
from case_tables import every_case
from long_forms import LONG, LONG_ONLY

ROOT = Path(__file__).resolve().parents[1]
QUICK = {("effectiveness", "sorting"), ("speed", "sizing")}
"""The benchmarks that run in the short form too."""


class Need(NamedTuple):
    """What a machine may lack: whether it is there, and what installs it."""

    is_there: Callable[[], bool]
    install: str


def _package(*names: str) -> Callable[[], bool]:
    return lambda: all(find_spec(name) is not None for name in names)


def _file(variable: str) -> Callable[[], bool]:
    return lambda: Path(os.environ.get(variable, "")).exists() and bool(os.environ.get(variable))


NEEDS = {
    "neural": Need(_package("torch", "sentence_transformers"), "pip install 'porism[neural]'"),
    "gensim": Need(_package("gensim"), "pip install 'porism[embeddings]'"),
    "bench": Need(_package("bm25s", "rank_bm25", "ranx", "tantivy", "psutil"), "pip install '.[bench]'"),
    "documents": Need(_package("pypandoc"), "pip install 'porism[documents]'"),
    "pdf": Need(_package("pdfminer", "fontTools"), "pip install 'porism[pdf]'"),
    "lab": Need(_package("sklearn"), "pip install 'porism[lab]'"),
    "milvus": Need(_package("pymilvus", "milvus_lite"), "pip install 'porism[cluster]' milvus-lite"),
    "dask": Need(_package("dask", "distributed"), "pip install 'porism[cluster]'"),
    "faiss": Need(_package("faiss"), "pip install faiss-cpu"),
    "web": Need(_package("starlette", "uvicorn"), "pip install 'porism[web]'"),
    "latexml": Need(lambda: shutil.which("latexml") is not None, "apt-get install latexml"),
    "anserini": Need(
        lambda: _file("ANSERINI_JAR")() and shutil.which("javac") is not None,
        "pip download --no-deps pyserini==0.22.1, set ANSERINI_JAR to the jar in it, and install a JDK 17",
    ),
    "pya0": Need(
        _file("PYA0_PYTHON"), "pip install pya0==0.3.7 for Python 3.11, and set PYA0_PYTHON to that Python"
    ),
    "mathjax": Need(
        lambda: _file("MATHJAX")() and shutil.which("node") is not None,
        "npm install --prefix DIR @mathjax/src@4.1.3, and set MATHJAX to DIR",
    ),
    "browser": Need(
        lambda: _file("KATEX")() and _package("playwright")() and shutil.which("chromium") is not None,
        "apt-get install chromium; pip install 'porism[web-test]'; npm install --prefix DIR katex mathjax, "
        "and set KATEX to DIR",
    ),
}


class Case(NamedTuple):
    """A call of a benchmark with what it prints, as regular expressions: lines, in any order.

    ``status`` is 1 where it says what it lacks.
    """

    arguments: str
    expected: tuple[str, ...]
    needs: tuple[str, ...] = ()
    status: int = 0


def row(*cells: str) -> str:
    """The pattern of a line of a table."""
    return r"^ *" + r" +".join(cells) + r"(?!\w)"


NUMBER = r"[-+]?[\d,.]+(?:e[-+]?\d+)?"
SMALL = r"(?:0\.0e\+00|\d\.\de-1\d)"
ALL = "1\\.000", "1\\.000", "1\\.000"

TABLE: dict[tuple[str, str], tuple[Case, ...]] = {
    ("effectiveness", "development"): (Case(
        "--data {data} --work {work} --models default,words --halves "
        "--sets arqmath2020,proofwiki,mathlib,planetmath,conjectures,sample,names", (
        row("set", "model", "mean", "difference", "even", "odd"),
        *(
            row(re.escape(f"{name}, {measure}"), model, "1.0000", "1.0000", "1.0000")
            for name, measure in (
                ("arqmath 2020 (5)", "nDCG'"), ("proofwiki (8)", "nDCG@10"), ("mathlib (8)", "nDCG@10"),
                ("planetmath synonyms (8)", "nDCG@10"), ("planetmath defines (8)", "nDCG@10"),
                ("planetmath related (8)", "nDCG@10"), ("conjectures (8)", "nDCG@10"),
            )
            for model in ("default", "words")
        ),
        row(r"sample \(56\), nDCG'@10", "words", NUMBER, f"{NUMBER} ± {NUMBER}"),
        *(row(rf"names: {name} \({count}\), nDCG@10", "default", NUMBER)
          for name, count in (("napkin", 25), ("proofwiki", 20), ("sample", 15))),
    )),),
    ("effectiveness", "general_table"): (Case("--data {data} --out {out}/general.bin", (
        r"^StackMathQA: 0 of \d+ questions nearly repeat a topic", r"^Mathlib: 0 pairs$", "^losses",
    )),),
    ("effectiveness", "neural"): (Case(
        "--data {data} --work {work} --models default,words --sets arqmath2021 --json {out}/neural.json",
        (
            row("arqmath 2021", "default", "1.0000"),
            row("arqmath 2021", r"default\+words", "1.0000", r"\+0.0000", r"\+0.0000 to \+0.0000", "1.000"),
            "^arqmath 2021, nDCG' by category$", row("Proof", "5", "words", "1.000"),
        ),
    ),),
    ("effectiveness", "soft_models"): (Case("--data {data} --work {out}/soft", (
        row("scm2022-text", NUMBER, *["1.000"] * 4),
        *(row(name, *["1.000"] * 4) for name in ("default", "mirmu2021-scm", "mirmu2021-mg-bare", "rrf of all")),
        row("linear, tuned on 2020", *["1.000"] * 4),
    ), ("gensim",)),),
    ("effectiveness", "languages"): (Case("--languages english,german", (
        "^nDCG'@10 of 30 questions in each language$", row("english", *[NUMBER] * 4, "42 of 42"),
        row("german", *[NUMBER] * 4, "42 of 42"),
    )),),
    ("effectiveness", "ensembles"): (Case("--data {data} --folds 2 --seeds 1", (
        row("DPRL ‡", "1.0000", "1.0000", "0.1000"), row("MIRMU", r"0.6309\S*", r"0.5000\S*"),
        row(r"rbc linear \(held out\)", "1.0000"), "^zbMATH: 0.4307 as it is here",
    ), ("lab",)),),
    ("effectiveness", "milvus"): (Case("--index {index} --topics {topics} --models words --depth 5", (
        row("model", "topics", "results", "other ids", "other scores", "rows"),
        row("words", "5", r"\d+", "0", "0", "16", "1.0"),
    ), ("milvus",)),),
    ("effectiveness", "sorting"): (Case("--queries 3 --depth 10", (
        "^3 queries, 10 candidates, ", row("first stage", NUMBER, "0", "0"), row("all-pairs", "1.0000", "90", "1"),
    )),),
    ("effectiveness", "recognition"): (Case("--data {data} --judged {data}/proofwiki/judged.tsv", tuple(
        row(name, "4", "4", "4", *["1.000"] * 5) for name in ("tuned on", "not tuned on")
    )),),
    ("effectiveness", "notations"): (Case("--data {data} --only sample --jobs 1", (
        row("sample", "50", *[NUMBER] * 12), row("all", "50", *[NUMBER] * 12), "^of the best +1.000 ",
    )),),
    ("effectiveness", "equality"): (Case("--most 3 --all", (
        "^equal, among the first 10: 3 and 3 of 3$", "^equal, reported as equal: 3 of 3$",
        "^unequal, reported as equal: 0 of 3$",
    )),),
    ("ablations", "formulas"): (Case("--data {data} --models= --jobs 1 --work {out}/ablations", (
        "^16 distinct formulas, 5 topics of 2020, 5 topics of 2021$", row("all", *ALL, *ALL),
        row("without alignment_weight", *ALL, *ALL, r"\+0.000 ± 0.000"), row("values alone", NUMBER),
    )),),
    ("ablations", "renaming"): (Case("--data {data} --seeds 1 --jobs 1 --work {out}/renaming", (
        row("year", "topics", "not renamed", "as they are", "renamed", "difference"), row("2020", "5", NUMBER),
    )),),
    ("peers", "documents"): (
        Case("--data {data} --contenders porism,porism-terms --rounds 0 --jobs 1 --work {out}/peers", (
            "^Task 1: 16 documents, 5 topics of 2020, 5 topics of 2021$",
            row("Porism", *["1.000", "1.000", "0.100", "1.000"] * 2),
            row("Porism, terms given", *["1.000", "1.000", "0.100", "1.000"] * 2),
            row("index s", "index MB", "index peak MB", "first answer s"),
        )),
        Case("--data {data} --contenders bm25s-terms --rounds 0 --work {out}/peers-bm25s", (
            row("bm25s.*terms.*", "1.000", "1.000"),
        ), ("bench",)),
        Case("--data {data} --contenders lucene --rounds 0 --work {out}/peers-lucene", (
            row("Lucene.*", "1.000", "1.000"),
        ), ("anserini",)),
    ),
    ("peers", "formulas"): (
        Case("--data {data} --contenders formulas-porism,formulas-channels --rounds 1 --jobs 1 --work {out}/formulas", (
            "^Task 2: 16 distinct formulas, 5 topics of 2020, 5 topics of 2021$", row("Porism", *ALL, *ALL),
            row("Porism, channels as in document search", *ALL, *ALL), row("Porism", *[NUMBER] * 8),
        )),
        Case("--data {data} --contenders formulas-approach0 --rounds 0 --pya0-python {pya0} --work {out}/approach0", (
            row("Approach Zero", r"(?:0\.[4-9]|1\.0)\d\d", NUMBER),
        ), ("pya0",)),
    ),
    ("peers", "weightings"): (
        Case("--data {data} --rounds 1 --most 1 --channels words --weightings bm25,tf-idf --work {out}/weightings", (
            row("channel", "peer", "weighting", "queries", "deviation"),
            *(row("words", peer, "bm25", "1", SMALL) for peer in ("bm25s lucene", "gensim LuceneBM25Model")),
            row("words", "scikit-learn, sublinear", "tf-idf", "1", SMALL),
        ), ("bench", "gensim", "lab")),
        Case(
            "--data {data} --effectiveness --channels words --weightings bm25,dph --work {out}/weightings",
            (row("words", "bm25", "k1 .*", *["1.000"] * 4), row("words", "dph", *["1.000"] * 4)),
            ("bench", "gensim", "lab"),
        ),
    ),
    ("peers", "feedback"): (
        Case("{data} {out}/feedback 2020 2021", (
            "^16 documents; ", row("2021", "Porism, RM3", "nDCG' 1.0000"),
            row("2020", "Anserini, BM25", "nDCG' 1.0000"),
        ), ("anserini",)),
        Case("{data} {out}/no-feedback", ("^Anserini is missing: there is no file /no/jar$",), status=1),
    ),
    ("peers", "soft"): (
        Case("--index {index} --similarity letters --topics {topics} --rounds 1 --gensim 0", (
            r"^5 topics, k = 1000, 16 documents, ", row("soft", *[NUMBER] * 4, r"[\d.]+e-\d\d", "5 of 5"),
            row("soft cosine", *[NUMBER] * 4, r"[\d.]+e-\d\d", "5 of 5"),
        )),
        Case("--index {index} --similarity letters --topics {topics} --rounds 1 --gensim 1", (
            row("gensim", *[NUMBER] * 3, r"[\d.]+e-\d\d", "made in"),
        ), ("gensim",)),
    ),
    ("peers", "latexml"): (
        Case("--formulas {data}/arqmath-mini/latex_representation_v3/1.tsv --count 4", (
            "^formulas compared [1-4]; of 5 tried",
        ), ("latexml",)),
        Case("--formulas {out}/given.tsv --count 1 --work {out}/latexml", (
            "^formulas compared 1; of 1 tried LaTeXML gave no tree for 0$", "precision 1.000 recall 1.000 F1 1.000$",
            "^all constituents equal 1.000; root operator of the same class 1.000$",
        )),
    ),
    ("peers", "mathjax"): (
        Case("--data {data} --sources arqmath-mini --mathjax {mathjax}", (
            row("arqmath-mini", "16", "16", "1.0000", "0"), row("real formulas", "16", "16"),
        ), ("mathjax",)),
        Case("--suite {out}/suite", (
            row("Sums", "5", "3", "0.6000", "1"), row("all", "5", "3", "0.6000", "1"), "^2 differ:$",
            "^    1 drawn signs: MathJax ", "^    0 columns: ", "^    1 of no kind$", "^      Sums: y$",
        )),
    ),
    ("peers", "spellings"): (Case("--data {data}", (
        *(row(name, "16", "16", "1.0000", "0")
          for name in ("LaTeX and LaTeXML", "arqmath-mini LaTeX", "arqmath-mini MathML")),
    )),),
    ("peers", "notations"): (Case("--data {data}", (
        row("arqmath-mini unicode", "16", "15", "0.9375", "0"),  # one is a binomial, which reads as a value of C
        *(row(f"arqmath-mini {name}", "16", "16", "1.0000", "0") for name in ("asciimath", "typst")),
    )),),
    ("peers", "rendering"): (
        Case("--node {katex} --only lceil --picture {out}/rendering.png", (
            "^width and height beside KaTeX's$", '"formulas": 1, '
        ), ("browser",)),
        Case("--node {out}/none", (r"npm install --prefix \S+ katex mathjax$|^Chromium is not|^playwright is not",),
             status=1),
    ),
    ("speed", "web"): (Case("--index {index} --clients 2 --seconds 2 --every 0.3", (
        r"^start to first page +[\d.]+ s ", r"^new documents .* 0 failed, [\d.]+ ms of processor time each$",
        r"^new formulas .* 0 failed, [\d.]+ ms of processor time each$",
        "^again, with commits.* 0 failed, [1-9] commits$",
    ), ("web",)),),
    ("speed", "start"): (Case("--data {data} --runs 1 --long-runs 1 --jobs 1 --work {out}/start", (
        row("import porism, the import alone, s", NUMBER), row("parse_latex.*formulas/s", NUMBER),
        row("index on disk, MB", NUMBER), row("porism search, first in a new process, s", *[NUMBER] * 4, "1"),
    )),),
    ("speed", "update"): (Case("--documents 100 --rounds 1 --jobs 1", tuple(
        rf"^{kind} +all +[\d.]+ s +changed +[\d.]+ s .* nothing +[\d.]+ s"
        for kind in ("markdown", "jsonl", "chapters", "book", "archives")
    )),),
    ("speed", "wiki"): (
        Case("--pages 12", (
            r"^dump: [\d.]+ MB, packed", r"^ +2 pages +\d+ documents", r"^read: 10 pages, \d+ documents",
        )),
        Case("--pages 12 --index --jobs 1", (r"^index: \d+ documents, [\d.]+ s of the processor",)),
    ),
    ("speed", "site"): (Case("--index {index} --questions 2", (
        r"^export: \d+ units in [\d.]+ s", "^first question of a page.* 2 with results$",
        "^one page, all questions.* 2 with results$",
    ), ("browser",)),),
    ("speed", "patterns"): (Case("--data {data} --rounds 1 --jobs 1", (
        r"^0 of 53 answers found, median [\d.]+ ms, slowest [\d.]+ ms, median of processor time [\d.]+ ms$",
    )),),
    ("speed", "big"): (Case("--data {data} --documents 30 --jobs 1 --work {out}/big", (
        r"^collection, revision 0: .* formulas", r"^index: [\d.,]+ s, ", r"^update of 1 %: ", r"^merge: ",
        r"^size, merged: .*\[30\] segments$", r"^merged: formula, 10 results: [\d.,]+ median ms",
    )),),
    ("speed", "merging"): (
        Case("--index {index} --work {out}/merging --parts 2 --derive", (
            row("merge_formulas", NUMBER, "processor s"), row("write_channel text/words", NUMBER, "processor s"),
            row("merge", NUMBER, "processor s"), row("derive", NUMBER, "processor s"), r"MB on disk$",
        )),
        Case("--index {index} --work {out}/copies --copies 2", (row("merge", NUMBER, "processor s"), r"MB on disk$")),
    ),
    ("speed", "grown"): (
        Case("--source {data}/arqmath-mini --documents 20 --to {out}/grown", (
            "; 16 real documents$", r"^20 documents with [\d,]+ formulas in ",
        )),
        Case("--source {data}/arqmath-mini --measure", (row("16", "[0-9,]+", "[0-9,]+", "32", "16"),)),
    ),
    ("speed", "sizing"): (Case("--formulas 2e6,1e7", (
        row("formulas", "documents", "index GB", "shards"), row("2,000,000", "100,[0-9]{3}", "[0-9]+", "1", "1"),
        row("10,000,000", "50[0-9],[0-9]{3}"),
    )),),
    ("speed", "cluster"): (Case("--data {data} --workers 1 --rounds 1", (
        "^16 documents; answers of all rounds are equal: True$", r"^1 workers: built [\d.]+ s, whole [\d.]+ s ",
    ), ("dask",)),),
    ("speed", "formula_growth"): (Case("--data {data} --sizes 20 --rounds 1 --jobs 1 --work {out}/growth", (
        row("formulas", "index s", "index MB"), row("20", *[NUMBER] * 8),
    )),),
    ("speed", "fusion"): (  # ranx compiles for minutes where it has not done so yet
        Case("--systems 3 --topics 4 --depth 20 --rounds 1 --alone", (
            "^3 runs of 4 topics and 20 documents; ", row("rrf", NUMBER, NUMBER), row("ibc ties=majority", NUMBER),
            row(r"nDCG, AP, P@10 of all runs", NUMBER),
        )),
    ),
    ("speed", "aggregation"): (Case("--queries 2 --candidates 10 --rounds 1 --text", (
        "^180 pairs, scale 3$", row("flips", NUMBER, NUMBER), row("read pairs.tsv", NUMBER, NUMBER),
    )),),
    ("speed", "rerankers"): (Case(
        "--data {data} --model {encoder} --queries 2 --depth 4 --duo 3 --rounds 1 --precisions float32 --length 32", (
            "^pointwise: 8 inputs$", "^pairwise: 12 inputs$", r"^  porism float32 .* apart 0\.000\d  ranks 1\.0000$",
        ), ("neural",),
    ),),
    ("speed", "scale"): (
        Case("--collection {data}/arqmath-mini --topics {topics} --documents 30 --rounds 1 --systems porism", (
            "^30 documents, ", row("porism", *[NUMBER] * 6, NUMBER, NUMBER, "5"),
            "^short queries of 5 whose ranking is float64's, ties included: porism 5$",
        )),
        Case("--collection {data}/arqmath-mini --topics {topics} --documents 30 --rounds 1 --systems bm25s,tantivy", (
            row("bm25s", NUMBER), row("tantivy", NUMBER),
        ), ("bench",)),
    ),
    ("speed", "shards"): (Case("{data}/arqmath-mini --topics {topics} --parts 2 --rounds 1", tuple(
        rf"^{name} .* the same results$" for name in ("one index", "several as one", "shards")
    )),),
    ("speed", "similarities"): (
        Case("--index {index} --sizes 50 --gensim-sizes=", tuple(
            row("porism", kind, "50", NUMBER) for kind in ("lexical", "semantic", "combined")
        )),
        Case("--index {index} --sizes= --gensim-sizes 30", (
            row("gensim", "lexical", "30", *[NUMBER] * 5, "1.0"), row("gensim", "semantic", "30", NUMBER),
        ), ("gensim",)),
    ),
    ("speed", "encoding"): (Case(
        "--index {index} --model {encoder} --texts 8 --rounds 1 --precisions float32", (
            "^8 texts, 1 threads, least of 1 rounds$", row("porism float32", *[NUMBER] * 4, r"1\.00000", r"1\.00000"),
        ), ("neural",),
    ),),
    ("speed", "vectors"): (
        Case("--count 300 --dimensions 16 --queries 3 --lists 4 --bytes 4 --only hnsw,ivfpq", (
            "^300 vectors of 16 numbers, 3 queries$", row("exact float32", *[NUMBER] * 3, "1.000", "1.000", "64"),
            row("ivfpq", *[NUMBER] * 7), row("hnsw", *[NUMBER] * 3, "1.000"),
        )),
        Case("--count 300 --dimensions 16 --queries 3 --only 'faiss flat'", (
            row("faiss flat", *[NUMBER] * 3, "1.000", "1.000"),
        ), ("faiss",)),
    ),
    ("speed", "late_interaction"): (Case("--data {data} --index {index} --model {tokens} --documents 0", (
        "^16 documents, 970 tokens of 8 dimensions, ", row("float32", "32", NUMBER, NUMBER),
        row("4 bits", "8.0", "14.0", "1.000"),
    ), ("neural",)),),
    ("speed", "word2vec"): (Case("--tokens 3000 --terms 50 --dimensions 10 --positional 4 --rounds 1", (
        "^3[0-9] texts, 3,000 terms, 50 distinct; |texts, 3,000 terms, ", "^positional .*'terms a second': ",
        "^plain ", "^gensim ",
    ), ("gensim",)),),
    ("robustness", "formats"): (Case("--data {data} --chapters 1 --only docx odt epub mediawiki", (
        r"[1-9]\d* chapters", r" +files +blocks +found +formulas +equal +reports +s/MB +s/file +memory MB",
        *(rf"{name} +[1-9]\d* .*%.*" for name in ("docx", "odt", "epub", "mediawiki")),
    ), ("documents",)),),
    ("robustness", "tokens"): (Case("--data {data}", (
        row("arqmath-mini", "16", "0", "0", "0"),
        *(row(name, "8", "0", "0", "0") for name in ("stackmathqa-sample", "hott", "openlogic", "planetmath")),
    )),),
    ("robustness", "pdf"): (Case(f"{ROOT}/tests/corpus/pdf/series.pdf {ROOT}/tests/corpus/pdf/series.tex", (
        row(r"series\.pdf", "inline", "15", *["1.000"] * 4, "0.000"),
        row(r"series\.pdf", "display", "4", *["1.000"] * 4, "0.000"), r"^series\.pdf +[\d.]+ pages a second",
    ), ("pdf",)),),
    ("robustness", "declarations"): (Case("--data {data}", (
        row("documents", "generated", "declarations", "found", "sample", "right", "reports", "seconds"),
        row("mathlib", "8", "0", "8", "100.00%", "8", "8", "0", r"\d+\.\d"),
    )),),
    ("robustness", "projects"): (Case("--data {data} --only hott napkin", (
        row("documents", "untitled", "reports", "environments", "found"),
        row("hott", r"\d+", "0", "0", "8", "100.00%"), row("napkin", r"\d+", r"\d+", "0", r"\d+", "100.00%"),
    )),),
}

ELSEWHERE = {("robustness", "mutation"): "tests/test_mutation.py::test_a_project_is_judged_by_its_tests"}
"""Benchmarks that another test runs."""

CASES = [
    pytest.param(name, case, id=f"{name[0]}-{name[1]}-{number}", marks=() if name in QUICK else LONG_ONLY)
    for name, cases in TABLE.items() for number, case in enumerate(cases)
]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """What the arguments name: data, an index with a similarity matrix, models, and folders to write to."""
    from porism.search.sources.updating import index_sources
    from porism.vectors.similarity import SimilaritySettings, build_similarities

    folder = tmp_path_factory.mktemp("benchmarks")
    data = write_data(folder / "data")
    topics = data / "arqmath-topics" / "2020" / "Topics_Task1_2020.xml"
    found = {"data": data, "topics": topics, "out": folder / "out", "work": folder / "work"}
    found |= {name: folder / name for name in ("index", "encoder", "tokens")}
    found |= {name: Path(os.environ.get(name.upper(), "missing")) for name in ("mathjax", "katex")}
    found["pya0"] = Path(os.environ.get("PYA0_PYTHON", "missing"))
    if LONG:
        found["out"].mkdir()
        index_sources([data / "arqmath-mini"], found["index"], jobs=1)
        build_similarities(found["index"], "letters", SimilaritySettings("words", "", alpha=1.0))
        if NEEDS["neural"].is_there():
            from colbert_cases import save_token_model
            from tiny_encoders import save_encoder

            save_encoder(found["encoder"])
            save_token_model(found["tokens"])
        write_latexml(found["out"])
        write_suite(found["out"] / "suite")
    return found


def write_latexml(folder: Path) -> None:
    """A formula, and LaTeXML's reading of it as it would be kept."""
    (folder / "given.tsv").write_text("id\tformula\n1\ta+b+c+d\n", encoding="utf-8")
    (folder / "latexml").mkdir()
    (folder / "latexml" / "0.post.xml").write_text(
        '<document xmlns="http://dlmf.nist.gov/LaTeXML"><para><math xmlns="http://www.w3.org/1998/Math/MathML">'
        "<apply><plus/><ci>a</ci><ci>b</ci><ci>c</ci><ci>d</ci></apply></math></para></document>", encoding="utf-8"
    )


def write_suite(folder: Path) -> None:
    """Snapshots as MathJax's test suite has them: three formulas that give one tree, an error, one that MathJax draws
    otherwise, and one that is wrong.
    """
    folder.mkdir()
    markup = {
        "a+b": "<mi>a</mi><mo>+</mo><mi>b</mi>", "x^2": "<msup><mi>x</mi><mn>2</mn></msup>",
        r"\\frac": "<merror><mtext>Missing argument</mtext></merror>",
        r"\\text{\${a}$}": "<mi>a</mi>", r"\\TeX": "<mi>T</mi><mi>E</mi><mi>X</mi>", "y": "<mi>z</mi>",
    }
    (folder / "Sums.test.ts.snap").write_text("".join(
        f'exports[`Sums {number}`] = `\n"<math data-latex="{latex}">{inner}</math>"\n`;\n'
        for number, (latex, inner) in enumerate(markup.items())
    ), encoding="utf-8")


@pytest.mark.parametrize(("name", "case"), CASES)
def test_it_prints_its_table(name: tuple[str, str], case: Case, places: dict[str, Path]) -> None:
    lacking = [NEEDS[need].install for need in case.needs if not NEEDS[need].is_there()]
    if lacking:
        pytest.skip(f"install first: {'; '.join(lacking)}")
    named = {**os.environ, "PORISM_BENCHMARKS": str(places["out"]), "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    if case.status:
        named["ANSERINI_JAR"] = "/no/jar"
    arguments = [argument.format_map(places) for argument in shlex.split(case.arguments)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *name, *arguments], cwd=ROOT, env=named, capture_output=True, text=True,
        check=False, timeout=600,
    )
    assert done.returncode == case.status, done.stdout[-2000:] + done.stderr[-2000:]
    printed = done.stderr if case.status else done.stdout
    missing = [pattern for pattern in case.expected if not re.search(pattern, printed, flags=re.MULTILINE)]
    assert not missing, f"{missing}\n{printed}\n{done.stderr[-2000:]}"


def test_every_benchmark_is_run() -> None:
    known = command.benchmarks()
    assert {*TABLE, *ELSEWHERE} == set(known)
    for test in ELSEWHERE.values():
        file, _, function = test.partition("::")
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8")


@every_case("name", command.benchmarks() if LONG else sorted(QUICK), ids="-".join)
def test_help_names_the_benchmark_and_its_options(
    name: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = importlib.import_module(".".join(("benchmarks", *name)))
    monkeypatch.setattr(sys, "argv", [f"{name[1]}.py", "--help"])
    with pytest.raises(SystemExit) as ended:
        module.main()
    assert ended.value.code == 0
    printed = capsys.readouterr().out
    assert printed.startswith("usage: ")
    options = {option for case in TABLE.get(name, ()) for option in re.findall(r"(?<!\S)--[a-z0-9-]+", case.arguments)}
    assert options <= set(re.findall(r"--[a-z0-9-]+", printed))


RECIPES = {
    "arqmath-answers": ("run hybrid on 2021", "tune linear-tuned on 2020", "report fusions on 2021"),
    "arqmath-formulas": ("train encoder of formulas fe", "run tangent-cft on 2020", "report 2021 on 2021"),
    "arqmath-runs-2020": ("fuse rrf on 2020", "tune rrf-tuned on 2020", "report fusions on 2020"),
}


def test_every_recipe_is_planned() -> None:
    assert set(RECIPES) == {path.stem for path in (ROOT / "benchmarks" / "recipes").glob("*.toml")}


@pytest.mark.parametrize("name", RECIPES)
@LONG_ONLY
def test_a_recipe_finds_what_it_names(
    name: str, places: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from porism.cli import main
    from porism.vectors.formula_vectors.tangent_cft import TRAINING, train_tangent_cft

    recipes = tmp_path / "project" / "benchmarks" / "recipes"
    shutil.copytree(ROOT / "benchmarks" / "recipes", recipes)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "data").symlink_to(places["data"])
    (recipes.parent / "work").mkdir()
    index = shutil.copytree(places["index"], recipes.parent / "work" / "formulas.index")
    if name == "arqmath-formulas":
        if not NEEDS["gensim"].is_there():
            pytest.skip(f"install first: {NEEDS['gensim'].install}")
        train_tangent_cft(index, replace(TRAINING, dimensions=4, epochs=1))
    with pytest.raises(SystemExit) as ended:
        main(["experiment", str(recipes / f"{name}.toml"), "--plan"])
    printed = capsys.readouterr()
    assert not ended.value.code, printed.err
    stages = re.findall(r"^to make +(.+)$", printed.out, flags=re.MULTILINE)
    assert set(RECIPES[name]) <= set(stages), stages
