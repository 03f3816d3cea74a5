"""What is refused, and what every answer has."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from fastapi.testclient import TestClient

from porism.errors import ConfigError
from porism.search.sources.indexing import index_documents
from porism.serve.web.app import create_app
from porism.serve.web.guarding import BODY_SECONDS, Buckets, Guard, find_key, new_key, read_keys
from porism.serve.web.observing import Metrics
from porism.serve.web.settings import Limits, WebSettings
from porism.types import Content, Document, Formula


def serving(library: Any, sample_index: Path, **settings: Any) -> TestClient:
    return TestClient(
        create_app(WebSettings({"sample": sample_index}, logs=False, **settings), library), base_url="http://localhost"
    )


def test_every_answer_has_a_strict_policy(client: Any) -> None:
    for path in ("/", "/search?q=series", "/nothing", "/api/v1/health", "/static/porism.css"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
        assert "server" not in headers


@every_case("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8470", ""])
def test_other_names_are_refused(client: Any, host: str) -> None:
    answer = client.get("/", headers={"Host": host})
    assert (answer.status_code, answer.json()["error"]["code"]) == (421, "unknown_host")


@every_case("host", ["localhost", "LOCALHOST:8470", "127.0.0.1:1", "[::1]:8470"])
def test_names_of_this_machine_are_answered(client: Any, host: str) -> None:
    assert client.get("/api/v1/health", headers={"Host": host}).status_code == 200


@every_case("path", [
    "/static/../app.py", "/static/%2e%2e/app.py", "/static/..%2fapp.py", "/static//etc/passwd", "/static/%00",
    "/static/..%5capp.py", "/static/" + "a" * 5_000, "/static/porism.css/..", "/static/", "/editor/../app.py",
    "/static/../templates/base.html",
])
def test_no_path_leaves_the_folder_of_static_files(client: Any, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "create_app" not in answer.text
    assert "{% block" not in answer.text


def test_a_link_out_of_the_editors_folder_is_not_followed(library: Any, sample_index: Path, tmp_path: Path) -> None:
    folder = tmp_path / "editor"
    folder.mkdir()
    (folder / "mathlive.min.js").write_text("1", encoding="utf-8")
    (tmp_path / "secret.js").write_text("secret", encoding="utf-8")
    (folder / "linked.js").symlink_to(tmp_path / "secret.js")
    client = serving(library, sample_index, editor=folder)
    assert client.get("/editor/mathlive.min.js").text == "1"
    assert client.get("/editor/linked.js").status_code == 404
    page = client.get("/editor")
    assert "frame-ancestors 'self'" in page.headers["content-security-policy"]
    assert "frame-src 'self'" in client.get("/").headers["content-security-policy"]


def test_bodies_that_are_too_large_are_refused_announced_or_not(library: Any, sample_index: Path) -> None:
    client = serving(library, sample_index, limits=Limits(body_bytes=1_000))
    body = json.dumps({"q": "a" * 2_000})
    assert client.post("/api/v1/search", content=body).status_code == 413

    def chunks() -> Iterator[bytes]:
        for start in range(0, len(body), 100):
            yield body[start : start + 100].encode()

    answer = client.post("/api/v1/search", content=chunks())
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    packed = client.post("/api/v1/search", content=b"x", headers={"Content-Encoding": "gzip"})
    assert packed.status_code == 415


def test_a_body_that_comes_too_slowly_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("porism.serve.web.guarding.BODY_SECONDS", 0.05)
    assert BODY_SECONDS == 15.0
    sent: list[Any] = []

    async def never() -> Any:
        await asyncio.sleep(30)

    async def reads(scope: Any, receive: Any, send: Any) -> None:
        await receive()

    async def send(message: Any) -> None:
        sent.append(message)

    guard = Guard(reads, WebSettings({}, logs=False), Metrics())
    scope = {"type": "http", "method": "POST", "path": "/x", "headers": [(b"host", b"localhost")], "query_string": b""}
    asyncio.run(guard(scope, never, send))
    assert sent[0]["status"] == 408


def test_addresses_that_are_too_long_and_too_many_requests_at_once_are_refused(
    client: Any, library: Any, sample_index: Path
) -> None:
    assert client.get("/search", params={"q": "a" * 40_000}).status_code == 414
    busy = serving(library, sample_index, limits=Limits(at_once=0)).get("/")
    assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")


def test_keys_are_kept_hashed_and_guard_the_api(library: Any, sample_index: Path, tmp_path: Path) -> None:
    secret, line = new_key("group")
    assert secret not in line
    file = tmp_path / "keys"
    file.write_text(f"# keys\n{line}\n{new_key('other')[1]}\n", encoding="utf-8")
    keys = read_keys(file)
    found = find_key(keys, secret)
    assert found is not None
    assert [key.name for key in keys] == ["group", "other"]
    assert found.name == "group"
    assert find_key(keys, secret + "x") is find_key(keys, "") is None

    client = serving(library, sample_index, keys=file)
    asked = {"url": "/api/v1/search", "params": {"q": "series"}}
    assert client.get(**asked).json()["error"]["code"] == "no_key"
    wrong = client.get(**asked, headers={"X-API-Key": "wrong"})
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (401, "wrong_key")
    assert client.get(**asked, headers={"X-API-Key": secret}).status_code == 200
    assert client.get(**asked, headers={"Authorization": f"Bearer {secret}"}).status_code == 200
    assert client.get("/api/v1/health").status_code == 200
    assert client.get("/search", params={"q": "series"}).status_code == 200

    file.write_text("group not-a-digest\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="keys:1: a line is not a name and a SHA-256"):
        read_keys(file)


def test_a_bucket_fills_with_time() -> None:
    buckets = Buckets(per_minute=60)
    assert [buckets.wait("a", 0.0) for _ in range(15)] == [0.0] * 15
    assert buckets.wait("a", 0.0) == pytest.approx(1.0)
    assert buckets.wait("b", 0.0) == 0.0
    assert buckets.wait("a", 0.5) == pytest.approx(0.5)
    assert buckets.wait("a", 1.0) == 0.0
    assert Buckets(0).wait("a") == 0.0


def test_too_many_requests_of_one_client_are_refused(library: Any, sample_index: Path) -> None:
    client = serving(library, sample_index, limits=Limits(per_minute=8))
    statuses = [client.get("/api/v1/health").status_code for _ in range(4)]
    assert statuses == [200, 200, 429, 429]
    assert client.get("/").status_code == 200


def test_pages_of_named_origins_may_call_the_api(library: Any, sample_index: Path) -> None:
    client = serving(library, sample_index, origins=("https://notes.example",))
    allowed = client.get("/api/v1/health", headers={"Origin": "https://notes.example"})
    assert allowed.headers["access-control-allow-origin"] == "https://notes.example"
    assert "access-control-allow-origin" not in client.get(
        "/api/v1/health", headers={"Origin": "https://evil.example"}
    ).headers


def test_requests_are_counted_by_route_and_logged_without_questions(
    library: Any, sample_index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    app = create_app(WebSettings({"sample": sample_index}), library)
    client = TestClient(app, base_url="http://localhost")
    client.get("/search", params={"q": "secretword series"})
    client.get("/document", params={"id": "nope"})
    text = client.get("/metrics").text
    assert 'porism_requests_total{method="GET",route="/search",status="200"} 1.0' in text
    assert 'porism_requests_total{method="GET",route="/document",status="404"} 1.0' in text
    assert 'porism_index_documents{index="sample"} 269.0' in text
    logged = capsys.readouterr().err
    lines = [json.loads(line) for line in logged.splitlines()]
    assert [(line["path"], line["status"]) for line in lines][:2] == [("/search", 200), ("/document", 404)]
    assert "secretword" not in logged


def test_nothing_of_a_question_becomes_a_header(client: Any) -> None:
    answer = client.get("/search?q=series%0d%0aSet-Cookie:%20a=b&index=%0d%0aX-Evil:1")
    assert "set-cookie" not in answer.headers
    assert "x-evil" not in answer.headers


def test_halves_of_characters_are_refused(client: Any) -> None:
    for path, body in (
        ("/api/v1/search", b'{"q": "a \\ud800 b"}'), ("/api/v1/formulas", b'{"q": "$x\\udfff+1$"}'),
        ("/api/v1/search", b'{"q": "x", "filters": {"type": ["\\ud800"]}}'),
        ("/api/v1/search", b'{"q": "x", "filters": {"\\ud800": ["a"]}}'),
    ):
        answer = client.post(path, content=body, headers={"Content-Type": "application/json"})
        assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid")
        assert "lone surrogate" in answer.json()["error"]["message"]
    halves = b'{"q": "\\ud835\\udc65 series"}'  # one character
    whole = client.post("/api/v1/search", content=halves, headers={"Content-Type": "application/json"})
    assert whole.status_code == 200
    assert client.get("/search?q=%ED%A0%80%00series").status_code == 200


def test_many_filters_are_refused(client: Any) -> None:
    """1,500 of them made a page of 53 MB in 16 s."""
    many = [("filter", f"type=kind{number}") for number in range(33)]
    page = client.get("/search", params=[("q", "series"), *many])
    assert page.status_code == 400
    assert "The search has 33 filters." in page.text
    assert len(page.content) < 200_000
    for path in ("search", "formulas", "facets"):
        assert client.get(f"/api/v1/{path}", params=[("q", "$x$"), *many]).status_code == 400
    assert client.get("/api/v1/search", params=[("q", "series"), *many[:32]]).status_code == 200


def macro_bomb(number: int) -> str:
    """LaTeX of 200 characters that expands to thousands."""
    steps = "".join(rf"\def\{chr(98 + i)}{{" + rf"\{chr(97 + i)}" * 10 + "}" for i in range(6))
    return rf"\def\a{{x_{{{number}}}xxxxx}}{steps}\g"


def test_macros_that_multiply_are_refused_in_questions(client: Any) -> None:
    """Twelve of them kept a search busy for more than a minute."""
    question = " ".join(f"${macro_bomb(number)}$" for number in range(12))
    assert len(question) < 4_000
    for parameters in ({"q": question}, {"q": question, "mode": "formulas"}):
        page = client.get("/search", params=parameters)
        assert page.status_code == 400
        assert "more than 4,000 symbols" in page.text
    assert "more than 4,000 symbols" in client.get("/preview", params={"q": question, "mode": "formulas"}).text
    assert client.get("/search", params={"q": "$" + "x" * 3_000 + "$"}).status_code == 200


def test_macros_that_multiply_in_a_document_leave_its_page_finite(tmp_path: Path) -> None:
    bombs = Content.of("series ", *(Formula(macro_bomb(number)) for number in range(3)))
    index_documents([Document("bomb", {"body": bombs}), Document("x", {"body": bombs})], tmp_path / "index", jobs=1)
    client = TestClient(create_app(WebSettings({"x": tmp_path / "index"}, logs=False)), base_url="http://localhost")
    for path in ("/search?q=series+%24x%5E2%24", "/document?id=bomb&q=%24x%5E2%24", "/compare?left=bomb&right=x"):
        answer = client.get(path)
        assert answer.status_code == 200
        assert len(answer.content) < 6_000_000


def test_external_entities_and_entities_that_multiply_stay_text(client: Any) -> None:
    laughs = "".join(f'<!ENTITY {chr(98 + i)} "{f"&{chr(97 + i)};" * 10}">' for i in range(8))
    for formula in (
        f'<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa">{laughs}]><math><mi>&i;</mi></math>',
        '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><math><mi>&x;</mi></math>',
    ):
        answer = client.get("/formula", params={"formula": formula})
        assert answer.status_code == 200
        assert len(answer.content) < 200_000
        assert "root:" not in answer.text
