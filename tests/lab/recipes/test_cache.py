"""What is kept between starts: entries that are whole or not at all, answers that grow, and digests."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case

from porism.errors import Problem
from porism.lab.recipes.answers import AnswerStore
from porism.lab.recipes.cache import Cache, CacheLocked
from porism.lab.recipes.digests import digest, query_digest, source_digest
from porism.types import Content, Formula, Query


def kept(cache: Cache, text: str = "content") -> None:
    with cache.making("run", "key") as folder:
        (folder / "part").mkdir()
        (folder / "part" / "file").write_text(text, encoding="utf-8")
        cache.keep("run", "key", folder, {"topics": 3}, 1.25)


def test_an_entry_is_found_as_it_was_kept(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    assert cache.find("run", "key") is None
    kept(cache)
    for again in (cache, Cache(tmp_path / "cache")):
        entry = again.find("run", "key")
        assert entry is not None
        assert entry.file("part/file").read_text(encoding="utf-8") == "content"
        assert (entry.about, entry.seconds) == ({"topics": 3}, 1.25)
    assert cache.find("run", "other") is None
    assert cache.find("fuse", "key") is None


@every_case(
    ("damage", "told"),
    [
        (lambda entry: (entry / "part" / "file").write_text("contens", encoding="utf-8"), "part/file is not as it was"),
        (lambda entry: (entry / "part" / "file").write_text("", encoding="utf-8"), "part/file is not as it was"),
        (lambda entry: (entry / "part" / "file").unlink(), "part/file is missing"),
        (lambda entry: (entry / "entry.json").unlink(), "entry.json is missing"),
        (lambda entry: (entry / "entry.json").write_text("{", encoding="utf-8"), "entry.json cannot be read"),
        (lambda entry: (entry / "entry.json").write_text("[]", encoding="utf-8"), "of another version, or damaged"),
        (
            lambda entry: (entry / "entry.json").write_text(
                (entry / "entry.json").read_text(encoding="utf-8").replace("1.25", "1.75"), encoding="utf-8"
            ),
            "entry.json is damaged",
        ),
    ],
)
def test_a_damaged_entry_is_reported_and_made_again(tmp_path: Path, damage: object, told: str) -> None:
    kept(Cache(tmp_path / "cache"))
    damage(tmp_path / "cache" / "made" / "run" / "key")  # type: ignore[operator]
    problems: list[Problem] = []
    cache = Cache(tmp_path / "cache", problems.append)
    assert cache.find("run", "key") is None
    assert told in problems[0].what
    assert problems[0].what.endswith("it is made again")
    kept(cache, "new")
    entry = Cache(tmp_path / "cache").find("run", "key")
    assert entry is not None
    assert entry.file("part/file").read_text(encoding="utf-8") == "new"


def test_what_fails_while_it_is_made_leaves_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")

    def interrupted() -> None:
        with cache.making("run", "key") as folder:
            (folder / "file").write_text("half", encoding="utf-8")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert cache.find("run", "key") is None
    assert list((tmp_path / "cache" / "unfinished").iterdir()) == []


def test_fresh_takes_no_notice_of_what_was_there(tmp_path: Path) -> None:
    kept(Cache(tmp_path / "cache"))
    (Cache(tmp_path / "cache").growing("trials", "x")).write_text("old", encoding="utf-8")
    fresh = Cache(tmp_path / "cache", fresh=True)
    assert fresh.find("run", "key") is None
    kept(fresh, "new")
    assert fresh.find("run", "key") is not None
    assert not fresh.growing("trials", "x").exists()
    fresh.growing("trials", "x").write_text("new", encoding="utf-8")
    assert fresh.growing("trials", "x").read_text(encoding="utf-8") == "new"


def test_one_process_at_a_time(tmp_path: Path) -> None:
    first, second = Cache(tmp_path / "cache"), Cache(tmp_path / "cache")
    refused = pytest.raises(CacheLocked, match=r"runs experiments with this cache\. Wait until it is done")
    with first.locked(), refused, second.locked():
        pass
    with second.locked():
        assert second.find("run", "key") is None


def test_answers_are_found_again_and_damaged_lines_are_not(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    store = AnswerStore(path)
    store.add("one", [("d1", 1.5), ("d2", 1 / 3)], 0.25)
    store.add("two", [], 0.5)
    store.add("three", [("d3", 2.0)], 0.125)
    assert AnswerStore(path).find("one") == ([("d1", 1.5), ("d2", 1 / 3)], 0.25)
    assert AnswerStore(path).find("two") == ([], 0.5)
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], lines[1].replace(b"0.5", b"0.6"), lines[2][:-5]]))
    problems: list[Problem] = []
    cut = AnswerStore(path, problems.append)
    assert [len(cut), [problem.where for problem in problems]] == [1, ["answers.jsonl:2", "answers.jsonl:3"]]
    cut.add("three", [("d3", 2.0)], 0.125)
    again = AnswerStore(path)
    assert (again.find("three"), again.find("two"), len(again)) == (([("d3", 2.0)], 0.125), None, 2)


def test_digests_are_of_content(tmp_path: Path) -> None:
    assert digest({"a": 1, "b": [1.5, "x"]}) == digest({"b": [1.5, "x"], "a": 1})
    assert digest({"a": 1}) != digest({"a": 1.5})
    folder = tmp_path / "notes"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text("one", encoding="utf-8")
    (folder / "sub" / "b.md").write_text("two", encoding="utf-8")
    before = source_digest(folder)
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "x.md").write_text("not read", encoding="utf-8")
    (folder / "a.md").touch()
    assert source_digest(folder) == before
    (folder / "sub" / "b.md").write_text("twO", encoding="utf-8")
    changed = source_digest(folder)
    assert changed != before
    (folder / "sub" / "b.md").rename(folder / "sub" / "c.md")
    assert source_digest(folder) not in (before, changed)
    main = tmp_path / "book" / "main.tex"
    main.parent.mkdir()
    main.write_text(r"\input{other}", encoding="utf-8")
    (main.parent / "other.tex").write_text("a", encoding="utf-8")
    before = source_digest(main)
    (main.parent / "other.tex").write_text("b", encoding="utf-8")
    assert source_digest(main) != before


def test_topics_are_known_by_what_they_ask() -> None:
    def query(source: str = "x", **changes: object) -> Query:
        content = Content("find \ufffc", (Formula(source),))
        return Query(**{"id": "1", "fields": {"query": content}, **changes})  # type: ignore[arg-type]

    others = [query("y"), query(id="2"), query(metadata={"tags": ("a",)}), query(fields={"title": query().content})]
    digests = {query_digest(one) for one in (query(), *others)}
    assert len(digests) == 5
    assert query_digest(query()) == query_digest(query())
