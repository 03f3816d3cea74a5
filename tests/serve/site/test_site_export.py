"""The files of a search for a static site: postings, spellings, links, and folders that are written again."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from porism import Content, Document, Formula, Query, index_documents, open_index
from porism.cli import main
from porism.errors import ConfigError
from porism.index import IndexWriter
from porism.serve.site.exporting import export_site
from porism.serve.site.postings import SITE_MODEL, in_parts, spelling_key

DOCUMENTS = [
    Document("b", {"title": Content("Möbius groups"), "body": Content("A group acts \ufffc.", (Formula("x<y"),))},
             {"url": "https://algebra.org/b.html#groups"}),
    Document("a", {"body": Content("Groups & rings \ufffc", (Formula("x^2"),))}),
    Document("c", {"body": Content("grouping <b>")}),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("site") / "index"
    index_documents(DOCUMENTS[:1], path)
    index_documents([*DOCUMENTS[1:], Document("aa", {"body": Content("A group that is gone")})], path)
    with IndexWriter(path, create=False) as writer:
        writer.delete(["aa"])
        writer.commit()
    return path


@pytest.fixture(scope="module")
def site(index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    export_site(index, folder)
    return folder


def part(site: Path, kind: str, number: int = 0) -> Any:
    """What the script gets from a part."""
    text = (site / f"part-{kind}-{number}.js").read_text(encoding="utf-8")
    assert text.startswith(f'porism("{kind}",{number},')
    return json.loads(text.removeprefix(f'porism("{kind}",{number},').removesuffix(")\n"))


def test_a_score_is_a_sum_of_what_is_stored(index: Path, site: Path) -> None:
    largest, packed, *_ = part(site, "terms")["wgroup"]
    data = base64.b64decode(packed)
    postings = [(data[at], largest * (data[at + 1] + 256 * data[at + 2]) / 65535) for at in range(0, len(data), 3)]
    with open_index(index, model=SITE_MODEL) as opened:
        run = opened.run([Query("q", {"query": Content("group")})], 3)
    ids, unit = ["a", "b", "c"], -1
    scores: dict[str, float] = {}
    for distance, weight in postings:
        unit += distance
        scores[ids[unit]] = weight
    assert scores == pytest.approx(dict(run["q"]), rel=1e-4)


def test_spellings_stand_for_terms_and_stop_words_for_none(site: Path) -> None:
    entries = part(site, "terms")
    assert entries["wgroups"] == [0.0, "", ["group"]]
    assert entries["wgrouping"][2] == ["group"]
    assert entries["wa"] == [0.0, "", []]
    assert len(entries["wring"]) == 2
    assert {"1x", "12", "2x ^", "3x ^ {", "wmobius"} <= entries.keys()
    assert spelling_key("Möbius") == "mobius"


def test_results_show_html_and_link_to_their_addresses(site: Path) -> None:
    first, second, third = part(site, "units")
    assert first[0] == "a"
    assert first[1].startswith("Groups &amp; rings <math")
    assert second[:1] + second[2:] == ["Möbius groups", "https://algebra.org/b.html#groups", second[3]]
    assert "<mo>&lt;</mo>" in second[1]
    assert third[1:3] == ["grouping &lt;b&gt;", ""]


def test_a_long_text_is_cut_between_words(tmp_path: Path) -> None:
    long = Content("Every " + "word " * 100 + "\ufffc", (Formula("x"),))
    unit = Document("a", {"title": Content("T"), "body": long}, {"section": ("Groups", "T"), "file": "a.tex"})
    index_documents([unit], tmp_path / "index")
    export_site(tmp_path / "index", tmp_path / "site")
    ((title, text, url, where),) = part(tmp_path / "site", "units")
    assert (title, url, where) == ("T", "", "a.tex")
    assert text == "Every " + " ".join(["word"] * 59) + " …"


def test_tables_of_latex_have_the_symbols_of_the_index(site: Path) -> None:
    notation = part(site, "notation")
    assert "\\lt" in notation["symbols"]
    assert "\\alpha" not in notation["symbols"]


def test_a_folder_is_written_again_and_no_other_is_touched(
    index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "part-terms-7.js").write_text("mine")
    with pytest.raises(ConfigError, match="has files that no export wrote"):
        export_site(index, tmp_path)
    folder = tmp_path / "search"
    with pytest.raises(SystemExit) as ended:
        main(["export", "static", str(folder), "--index", str(index)])
    assert not ended.value.code
    assert "3 units in" in capsys.readouterr().out
    (folder / "part-terms-7.js").write_text("of a larger index")
    export_site(index, folder)
    assert not (folder / "part-terms-7.js").exists()
    assert {"search.js", "example.html"} <= {path.name for path in folder.iterdir()}


def test_parts_hold_everything_once() -> None:
    assert list(in_parts([5, 5, 5, 1], 10)) == [(0, 2), (2, 4)]
    assert list(in_parts([], 10)) == []
