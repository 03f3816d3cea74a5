"""Pages of PDFs beside results and documents, with what matches outlined."""

from __future__ import annotations

import re
import shutil
from html import unescape
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")
pytest.importorskip("pypdfium2", reason="needs the extra: pip install 'porism[pdf]'")
pytest.importorskip("pdfminer", reason="needs the extra: pip install 'porism[pdf]'")

from fastapi.testclient import TestClient

from porism.errors import SourceError
from porism.extras import Extra
from porism.search.locations import Location, indexed_file
from porism.search.sources.updating import index_sources
from porism.serve.web import page_pictures, templating
from porism.serve.web.app import create_app
from porism.serve.web.settings import WebSettings

SERIES = Path(__file__).parents[2] / "corpus" / "pdf" / "series.pdf"
MATRICES = "papers/series.pdf#matrices"
QUESTION = {"q": r"determinant $\det A$"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers")
    (folder / "papers").mkdir()
    shutil.copy(SERIES, folder / "papers")
    shutil.copy(SERIES, folder / "secret.pdf")
    index_sources([folder / "papers"], folder / "index", jobs=1)
    return folder


@pytest.fixture
def client(folder: Path) -> Any:
    """A server that has not made any picture."""
    return TestClient(create_app(WebSettings({"papers": folder / "index"}, logs=False)), base_url="http://localhost")


def pictures(html: str) -> list[tuple[str, str]]:
    """The address and the alternative text of each picture; all wait until they are seen."""
    assert html.count("<img") == html.count('loading="lazy"')
    return [tuple(map(unescape, found)) for found in re.findall(r'<img src="([^"]*)".* alt="([^"]*)"', html)]  # type: ignore[misc]


def test_pages_with_a_match_are_beside_results_and_documents(client: Any) -> None:
    results = client.get("/search", params=QUESTION).text
    address, alt = pictures(results)[0]
    assert alt.startswith("Page 1 of series.pdf; outlined: ")
    assert "<details open" not in results
    document = client.get("/document", params={"id": MATRICES, **QUESTION}).text
    assert [alt.split(" of ")[0] for _, alt in pictures(document)] == ["Page 1", "Page 2"]
    assert document.count('<details class="page-picture" open>') == 1
    formulas = client.get("/search", params={"q": r"$\det A$", "mode": "formulas"}).text
    assert pictures(formulas)[0][1].startswith("Page ")
    assert "rect=" in address


def test_the_picture_has_an_outline_at_the_place_of_the_formula(client: Any) -> None:
    address = pictures(client.get("/search", params=QUESTION).text)[0][0]
    answer = client.get(address)
    assert answer.headers["content-type"] == "image/svg+xml"
    x0, y0, x1, y1 = map(float, re.search(r"rect=([\d.%C]+)", address)[1].split("%2C"))  # type: ignore[index]
    width = float(re.search(r'viewBox="0 0 ([\d.]+)', answer.text)[1])  # type: ignore[index]
    shapes = [tuple(map(float, found)) for found in re.findall(
        r'<rect x="([\d.-]+)" y="([\d.-]+)" width="([\d.]+)" height="([\d.]+)" [^>]*stroke-width="1.2"', answer.text
    )]
    assert any(abs(shape[2] - (x1 - x0) - 4) < 0.2 and abs(shape[3] - (y1 - y0) - 4) < 0.2 for shape in shapes)
    assert all(0 < shape[0] < width for shape in shapes)
    assert 'href="data:image/png;base64,iVBOR' in answer.text
    again = client.get(address, headers={"If-None-Match": answer.headers["etag"]})
    assert again.status_code == 304


def test_only_what_was_indexed_and_is_as_it_was_is_shown(client: Any, folder: Path) -> None:
    sources = client_sources(folder)
    for file in ("../secret.pdf", str(folder / "secret.pdf"), "secret.pdf", "", "series.pdf/x.pdf"):
        with pytest.raises(SourceError, match="not a file of the index"):
            indexed_file(Location("papers", file, 1), sources)
    address = pictures(client.get("/search", params=QUESTION).text)[0][0]
    assert client.get(address).status_code == 200  # from now on the picture is kept
    path, data = folder / "papers" / "series.pdf", SERIES.read_bytes()
    try:
        path.write_bytes(data + b"\n")
        changed = client.get(address)
        path.unlink()
        gone = client.get(address)
    finally:
        path.write_bytes(data)
    assert (changed.status_code, gone.status_code) == (404, 404)
    assert "series.pdf has changed since it was indexed" in changed.text
    assert "porism update" in changed.text
    assert "series.pdf is no longer there" in gone.text
    assert client.get(address).status_code == 200  # the same content at another time
    assert client.get("/page-picture", params={"id": "nothing", "page": 1}).status_code == 404
    assert client.get("/page-picture", params={"id": MATRICES, "page": 9}).status_code == 404
    assert client.get("/page-picture", params={"id": MATRICES, "page": 1, "rect": "1,2"}).status_code == 404


def client_sources(folder: Path) -> Any:
    from porism.index import Snapshot

    with Snapshot.open(folder / "index") as snapshot:
        return snapshot.sources


def test_without_the_extra_one_line_says_what_installs_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (page_pictures, templating):
        monkeypatch.setattr(module, "PICTURES", Extra("pdf", "no_such_module"))
    client = TestClient(create_app(WebSettings({"papers": folder / "index"}, logs=False)), base_url="http://localhost")
    document = client.get("/document", params={"id": MATRICES}).text
    assert document.count("pip install &#39;porism[pdf]&#39;") == 1
    assert pictures(document) == pictures(client.get("/search", params=QUESTION).text) == []
    answer = client.get("/page-picture", params={"id": MATRICES, "page": 1})
    assert "pip install &#x27;porism[pdf]&#x27;" in answer.text
