"""Heads without bodies, compressed answers, and parameters and keys that do not exist."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
import zstandard
from case_tables import every_case

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from porism.serve.web.delivering import ENCODINGS, MIN_BYTES

PATHS = ("/", "/search?q=series", "/api/v1/search?q=series", "/static/porism.css", "/nothing")


def raw(client: Any, path: str, encodings: str) -> tuple[Any, bytes]:
    """The answer and its bytes as they were sent."""
    with client.stream("GET", path, headers={"Accept-Encoding": encodings}) as answer:
        return answer, b"".join(answer.iter_raw())


@pytest.mark.parametrize("path", PATHS)
def test_a_head_is_that_of_the_answer_without_its_body(client: Any, path: str) -> None:
    whole, head = client.get(path), client.head(path)
    assert head.content == b""
    assert head.status_code == whole.status_code
    assert {**head.headers, "x-request-id": ""} == {**whole.headers, "x-request-id": ""}


@every_case(("accepted", "encoding"), [
    ("gzip, deflate, br, zstd", "zstd"), ("gzip", "gzip"), ("GZIP;q=0.5", "gzip"), ("zstd;q=0, gzip", "gzip"),
    ("identity", None), ("br", None), ("gzip; q=0", None), ("", None),
])
def test_an_answer_is_compressed_as_the_client_reads_it(client: Any, accepted: str, encoding: str | None) -> None:
    plain = client.get("/static/porism.css", headers={"Accept-Encoding": "identity"}).content
    answer, sent = raw(client, "/static/porism.css", accepted)
    assert answer.headers.get("content-encoding") == encoding
    assert answer.headers["content-length"] == str(len(sent))
    assert answer.headers["vary"] == "Accept-Encoding"
    decode = {"gzip": gzip.decompress, "zstd": zstandard.ZstdDecompressor().decompress}
    assert (decode[encoding](sent) if encoding else sent) == plain
    assert len(sent) < len(plain) / 2 or encoding is None


def test_what_is_small_a_font_or_a_stream_is_sent_as_it_is(client: Any) -> None:
    assert list(ENCODINGS) == ["zstd", "gzip"]
    small, sent = raw(client, "/generation", "gzip")
    assert len(sent) < MIN_BYTES
    for answer in (small, *(raw(client, path, "gzip")[0] for path in (
        "/static/porism-math.woff2", "/api/v1/search/stream?q=series",
    ))):
        assert "content-encoding" not in answer.headers


def test_an_answer_that_the_client_has_is_not_sent_again(client: Any) -> None:
    for path in ("/static/porism.css", "/api/v1/search?q=series"):
        tag = client.get(path, headers={"Accept-Encoding": "gzip"}).headers["etag"]
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize(("method", "path", "given", "message", "hint"), [
    ("GET", "/search", {"q": "x", "filters": "type=a"}, "There is no parameter 'filters'.", "Did you mean filter?"),
    ("GET", "/formulas", {"q": "x", "sort": "year"}, "There is no parameter 'sort'.", "Choose from"),
    ("GET", "/health", {"index": "sample"}, "There is no parameter 'index'.", "body"),
    ("POST", "/search", {"q": "x", "filter": {}}, "there is no key 'filter'. Did you mean filters?", "/api"),
    ("POST", "/formulas", {"q": "x", "mach": "any"}, "there is no key 'mach'. Did you mean match?", "/api"),
])
def test_parameters_and_keys_that_do_not_exist_name_the_nearest(
    client: Any, method: str, path: str, given: dict[str, Any], message: str, hint: str
) -> None:
    sent = {"params": given} if method == "GET" else {"json": given}
    answer = client.request(method, f"/api/v1{path}", **sent)
    assert answer.status_code == 422
    assert message in answer.json()["error"]["message"]
    assert hint in answer.json()["error"]["hint"]


def test_pages_pass_over_what_others_add_to_links(client: Any) -> None:
    assert client.get("/search?q=series&utm_source=mail").status_code == 200
