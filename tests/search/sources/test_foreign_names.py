"""Names of files that are not UTF-8 are indexed, updated and found, and shown with ``\\xe9`` for the byte E9."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.cli import main
from porism.search.index import open_index
from porism.search.sources.updating import index_sources, update_index
from porism.system.files.names import dump_names, load_names, real_name, shown_name

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems refuse such names")

FILES = {
    b"caf\xe9.md": b"# Coffee\n\nWords and $x^2+1$.\n",
    b"good.md": b"# Good\n\nWords and $x^2+2$.\n",
    b"d\xfc/p\xff.tex": b"\\section{Tex}\nWords $z^2$ and $a",
    b"d\xfc/q.html": b"<h1>Html</h1><p>Words \\(k^2\\)</p>",
    b"d\xfc/r\xfe.jsonl": b'{"id": "a", "text": "words $u$"}\n{"id": 3\n',
    b"literal\\xe9.md": b"Words of a name with a backslash.\n",
}
IDS = {
    r"s\xf6/caf\xe9.md", r"s\xf6/good.md", r"s\xf6/d\xfc/p\xff.tex#section-1", r"s\xf6/d\xfc/q.html", "a",
    r"s\xf6/literal\x5cxe9.md",
}


@pytest.fixture
def source(tmp_path) -> Path:
    folder = os.fsencode(tmp_path) + b"/s\xf6"
    for name, content in FILES.items():
        os.makedirs(os.path.dirname(folder + b"/" + name), exist_ok=True)
        with open(folder + b"/" + name, "xb") as file:
            file.write(content)
    return Path(os.fsdecode(folder))


def test_they_are_indexed_updated_and_located(source, tmp_path):
    problems: list[str] = []
    index_sources([source], tmp_path / "i", jobs=1, on_problem=lambda problem: problems.append(str(problem)))
    assert len(problems) == 2
    with open_index(tmp_path / "i") as index:
        assert {hit.id for hit in index.search("words")} == IDS
    again = update_index(tmp_path / "i", jobs=1)
    assert (again.added, again.changed, again.removed, again.files_read) == (0, 0, 0, 0)
    with open(source / os.fsdecode(b"d\xfc/p\xff.tex"), "ab") as file:
        file.write(b"$.\n\\section{Second} More words.")
    again = update_index(tmp_path / "i", jobs=1)
    assert (again.added, again.removed, again.files_read) == (1, 0, 1)
    with open_index(tmp_path / "i") as index:
        (hit,) = (hit for hit in index.search("second") if "section-2" in hit.id)
        assert hit.location.file == r"d\xfc/p\xff.tex"
        assert hit.location.path == source / os.fsdecode(b"d\xfc/p\xff.tex")
    (source / os.fsdecode(b"caf\xe9.md")).unlink()
    assert update_index(tmp_path / "i", jobs=1).removed == 1


def test_commands_show_them_escaped(source, tmp_path, capsys):
    index = str(tmp_path / os.fsdecode(b"i\xfd"))

    def run(*arguments: str) -> str:
        with pytest.raises(SystemExit) as end:
            main([*arguments, *(() if arguments[0] == "info" else ("--index", index))])
        assert not end.value.code
        return "".join(capsys.readouterr()[::-1])

    problems = tmp_path / "problems.txt"
    told = run("index", str(source), "--jobs", "1", "--problems", str(problems))
    assert r"d\xfc/p\xff.tex:2: a formula that is never closed" in told
    assert r"d\xfc/p\xff.tex:2: a formula that is never closed" in problems.read_text("utf-8")
    rows = json.loads(run("search", "coffee words", "--json"))
    (row,) = (row for row in rows if row["id"] == r"s\xf6/caf\xe9.md")
    assert row["location"]["path"] == shown_name(str(source / os.fsdecode(b"caf\xe9.md")))
    assert r"s\xf6/caf\xe9.md" in run("search", "coffee")
    assert "Good" in run("similar", r"s\xf6/caf\xe9.md")
    assert json.loads(run("info", "--json", index))["path"] == shown_name(index)
    assert r"s\xf6: 6 documents" in run("info", index)
    run("delete", r"s\xf6/caf\xe9.md")
    assert r"s\xf6: 5 documents" in run("info", index)


@given(st.binary(max_size=12))
def test_shown_names_are_text_and_lead_back(name):
    real = os.fsdecode(name)
    assert real_name(shown_name(real)) == real
    shown_name(real).encode("utf-8")
    assert load_names(dump_names({real: [real]})) == {real: [real]}
