"""One command lists the benchmarks and runs them, and the documentation names those that exist."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import pytest
from benchmarks import __main__ as command
from benchmarks.effectiveness import development, neural
from benchmarks.peers import weightings
from benchmarks.speed import grown, sizing
from case_tables import every_case
from long_forms import LONG_ONLY

from porism.retrieve.weightings import WEIGHTINGS

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks" / "README.md"]
NAMED = re.compile(r"python -m benchmarks ([a-z]\w*) ([a-z]\w*)")


def test_all_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main([]) == 0
    listed = capsys.readouterr().out
    for group, name in command.benchmarks():
        assert re.search(rf"^{group}: .+(\n  .+)*\n  {name} +[A-Z]", listed, flags=re.M), (group, name)
    assert {group for group, _ in command.benchmarks()} == set(command.GROUPS)


@every_case("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_name_benchmarks_that_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert set(NAMED.findall(text)) <= set(command.benchmarks())
    assert not re.search(r"benchmarks/\w+\.py", text)


def test_the_readme_has_a_row_for_each() -> None:
    readme = (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8")
    rows = NAMED.findall("\n".join(re.findall(r"^\| `.+", readme, flags=re.M)))
    assert sorted(rows) == sorted(command.benchmarks())


def exists(name: str) -> bool:
    """Whether a dotted name is that of a module, or of something in one."""
    with suppress(ModuleNotFoundError):
        if find_spec(name) is not None:
            return True
    module, _, last = name.rpartition(".")
    return bool(module) and exists(module) and hasattr(import_module(module), last)


def test_benchmarks_name_only_what_the_library_has() -> None:
    """What they import inside functions, too, and modules that texts speak of."""
    named: set[str] = set()
    for path in (ROOT / "benchmarks").rglob("*.py"):
        code = path.read_text(encoding="utf-8")
        named.update(re.findall(r"\bporism(?:\.[a-z_]\w*)+", code))
        named.update(
            f"{node.module}.{alias.name}" for node in ast.walk(ast.parse(code)) if isinstance(node, ast.ImportFrom)
            for alias in node.names if f"{node.module}.".startswith("porism.")
        )
    assert len(named) > 100
    assert [name for name in sorted(named) if not exists(name)] == []
    assert not exists("porism.corpus.nothing")
    assert not exists("porism.nothing.corpus")


def test_every_weighting_is_ranked_by() -> None:
    assert {name for name in WEIGHTINGS if "." not in name} <= set(weightings.GRIDS)


@LONG_ONLY
def test_one_runs_by_its_name() -> None:
    arguments = [sys.executable, "-m", "benchmarks", "effectiveness", "ensembles", "--help"]
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "--ranks" in done.stdout


@LONG_ONLY
def test_models_are_measured_alone_and_in_sums(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "heavy.toml").write_text('kind = "dense"\nencoder = "none"\n', encoding="utf-8")
    heavy = str(tmp_path / "heavy.toml")
    assert neural.parts_of("default:0.3+dense:0.7") == {"default": 0.3, "dense": 0.7}
    models = neural.chosen_models(["words", "tokens", heavy], ["words:0.25+tokens:0.75"])
    assert list(models) == ["words", "tokens", heavy, "words:0.25+tokens:0.75"]
    assert list(neural.chosen_models(["words", "tokens", "paths"], None))[3:] == [
        "words+tokens", "words+paths", "words+tokens+paths",
    ]
    task = development.sample(tmp_path)
    found = neural.measured(task, models)
    assert "heavy.toml is left out" in capsys.readouterr().err
    assert found.names == ("words", "tokens", "words:0.25+tokens:0.75")
    for name in found.names:
        alone = task.scores(models[name])
        assert found[name].aggregated["nDCG'@10"] == pytest.approx(alone.mean())
    rows = neural.rows_of(task, found)
    mean = {row[1]: float(row[2]) for row in rows}
    assert float(rows[1][3]) == pytest.approx(mean["tokens"] - mean["words"], abs=2e-4)
    parts = {part.by: part for part in neural.breakdowns(task, found, neural.information(task, tmp_path))}
    assert set(parts) == {"length", "share of mathematics"}
    known = {query.id: {"category": "odd" if number % 2 else "even"} for number, query in enumerate(task.queries)}
    (by_category,) = [part for part in neural.breakdowns(task, found, known) if part.by == "category"]
    assert {name: len(members) for name, members in by_category.topics.items()} == {"even": 28, "odd": 28}
    topics = sum(len(members) for members in parts["length"].topics.values())
    assert topics == len(task.queries)
    table = neural.group_rows(parts["length"])
    assert len(table) == 1 + 3 * len(parts["length"].groups)
    assert table[2][-1].count("to") == 1


@pytest.fixture(scope="module")
def base() -> grown.Base:
    """The bundled sample as the beginning of a larger collection."""
    return grown.read_base(grown.ENTRIES)


def test_collections_grow_by_the_laws_of_the_real_one(base: grown.Base) -> None:
    law = grown.Law.through([(10, 20), (1_000, 200)])
    assert (law.exponent, law.factor) == (pytest.approx(0.5), pytest.approx(200 / 1_000**0.5))
    assert law(4_000) == pytest.approx(400)
    made = grown.Grown(base)
    records = list(islice(made, 600))
    assert [record["id"] for record in records[:2]] == ["d0", "d1"]
    assert made.formulas.occurrences == pytest.approx(20 * 600, rel=0.05)
    for counting in (made.words, made.formulas):
        assert 0.75 * counting.expected < counting.made < counting.expected + 1  # new ones need a rare one to replace
    distinct = {name for record in records for name in re.findall(r"\b[a-z]+[aeiou]k\b", " ".join(record.values()))}
    assert len(distinct & {grown.word(number) for number in range(made.words.made)}) == made.words.made


def test_grown_collections_are_the_same_for_a_seed(base: grown.Base) -> None:
    first, again, longer = (list(islice(grown.Grown(base, seed), 120)) for seed in (7, 7, 8))
    assert first == again != longer
    other = list(islice(grown.Grown(base, 7, revision=1, changed=0.2), 120))
    changed = [one["id"] for one, new in zip(first, other, strict=True) if one != new]
    assert 10 < len(changed) < 40
    assert [record["id"] for record in other] == [record["id"] for record in first]


def test_new_words_are_distinct_and_keep_their_endings() -> None:
    words = [grown.word(number) for number in range(5_000)]
    assert words[:2] == ["babek", "bebek"]
    assert len(set(words)) == 5_000


@LONG_ONLY
def test_sizes_are_lines_through_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizing, "QUESTIONS", 300)
    model = sizing.Model([
        sizing.Point(1_000, 20_000, 1_000, 100, 10, 20, 40), sizing.Point(3_000, 60_000, 3_000, 120, 30, 22, 44),
    ])
    assert model.formulas == 20
    assert model.at("index_mb", 5_000) == pytest.approx(5_000)
    assert model.at("held_mb", 11_000) == pytest.approx(200)
    assert model.at("question_ms", 21_000) == pytest.approx(40)
    machine = sizing.Machine(cores=4, memory_gb=10, disk_gb=1_000, cached=0.5)
    assert sizing.needs(model, 10_240, machine) == (pytest.approx(10), pytest.approx(192.4 / 1024 + 5))
    assert sizing.least_shards(model, 40_000, machine) == 3
    found = sizing.size(model, 800_000, machine, 1.0, 10_000.0)
    assert found is not None
    assert (found.documents, found.shards, found.replicas, found.machines) == (40_000, 3, 1, 3)
    assert found.build_core_hours == pytest.approx(400 / 3_600)
    assert sizing.size(model, 800_000, machine, 1.0, 10.0) is None


def test_answers_wait_for_the_slowest_shard_and_for_free_cores() -> None:
    alone = sizing.simulate(1, 1, 16, 0.1, 100.0, 200.0)
    assert alone == pytest.approx(200, rel=0.1)
    assert sizing.simulate(10, 1, 16, 0.1, 100.0, 200.0) > 1.3 * alone
    busy = sizing.simulate(1, 1, 1, 8.0, 100.0, 200.0)
    assert busy > 1.5 * alone
    assert sizing.simulate(1, 2, 1, 8.0, 100.0, 200.0) < busy
    assert sizing.simulate(1, 1, 1, 12.0, 100.0, 200.0) == float("inf")


def test_wrong_names_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["peer", "documents"]) == 2
    assert "Did you mean peers documents?" in capsys.readouterr().err
    assert command.main(["nothing"]) == 2
    assert "lists all" in capsys.readouterr().err
