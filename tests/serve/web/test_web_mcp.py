"""The tools for language models, called by the client of the protocol's own SDK."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY

pytest.importorskip("mcp", reason="the tools are served by the SDK of the protocol: pip install 'porism[web]'")
pytest.importorskip("fastapi", reason="they answer as the pages do: pip install 'porism[web]'")

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from web_servers import running

from porism.search.sources.updating import index_sources
from porism.serve.web.guarding import new_key
from porism.serve.web.mcp_server import MCP_PATH, http_app, make_mcp_server
from porism.serve.web.mcp_texts import cut
from porism.serve.web.served import Library
from porism.serve.web.settings import WebSettings

Call = Callable[..., tuple[bool, str]]


async def answer(client: Any, name: str, arguments: dict[str, Any]) -> tuple[bool, str]:
    """Whether a call failed, and the text that it gave."""
    result = await client.call_tool(name, arguments)
    (content,) = result.content
    return bool(result.is_error), content.text


def with_client(server: Any, work: Callable[[Any], Awaitable[Any]]) -> Any:
    """What some work with a client of the server gives."""

    async def main() -> Any:
        async with Client(server) as client:
            return await work(client)

    return anyio.run(main)


@pytest.fixture
def call(library: Any) -> Call:
    """Calls a tool of a server of the sample, within the process."""
    server = make_mcp_server(library)
    return lambda name, **arguments: with_client(server, lambda client: answer(client, name, arguments))


def test_tools_say_what_they_do_and_change_nothing(library: Any) -> None:
    listed = with_client(make_mcp_server(library), lambda client: client.list_tools())
    assert [tool.name for tool in listed.tools] == [
        "search", "premises", "search_formulas", "patterns", "fetch", "explain", "similar", "equal_formulas", "indexes",
    ]
    for tool in listed.tools:
        assert tool.description
        assert tool.annotations.read_only_hint
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description"), (tool.name, name)


def test_every_input_of_a_tool_has_an_end(library: Any) -> None:
    def unbounded(schema: Any) -> bool:
        """Whether a part of a schema of JSON allows values of any size."""
        if isinstance(schema, list):
            return any(map(unbounded, schema))
        if not isinstance(schema, dict):
            return False
        end = {"string": "maxLength", "array": "maxItems", "object": "maxProperties", "integer": "maximum"}
        if schema.get("type") in end and end[schema["type"]] not in schema and not {"enum", "const"} & schema.keys():
            return True
        return any(unbounded(schema.get(key)) for key in ("anyOf", "items", "additionalProperties", "propertyNames"))

    listed = with_client(make_mcp_server(library), lambda client: client.list_tools())
    free = {
        (tool.name, name) for tool in listed.tools for name, schema in tool.input_schema["properties"].items()
        if unbounded(schema)
    }
    assert not free


@every_case(("name", "arguments", "says"), [
    ("equal_formulas", {"first": "x+" * 3_000 + "x", "second": "x"}, "characters"),
    ("equal_formulas", {"first": r"\sqrt{x}+" * 390, "second": "x" * 3_900}, "symbols"),
    ("premises", {"goal": "a " * 3_000}, "characters"),
    ("search", {"question": "series", "filters": {"type": ["a"] * 30}}, "20"),
    ("search", {"question": "series", "filters": {"type": "a" * 3_000}}, "2000"),
])
def test_inputs_beyond_a_limit_are_refused(call: Call, name: str, arguments: dict[str, Any], says: str) -> None:
    failed, text = call(name, **arguments)
    assert failed
    assert says in text


def test_a_search_gives_ids_that_fetch_takes(call: Call) -> None:
    failed, found = call("search", question=r"when does $\sum 1/n^p$ converge", k=2, detail="full")
    assert not failed
    assert found.startswith("269 documents found.\n\n1. Convergence of the p-series\n   id: p-series\n   place: ")
    assert r"$\sum_{n=1}^\infty\frac{1}{n^p}$" in found
    assert "\n2. " in found
    assert "\n3. " not in found
    failed, text = call("fetch", id="p-series")
    assert not failed
    assert text.startswith("# Convergence of the p-series\nid: p-series\nplace: ")
    assert r"$\sum_{n=1}^\infty\frac{1}{n^p}$" in text
    assert "line:" not in text  # the place says it
    failed, second = call("search", question=r"when does $\sum 1/n^p$ converge", k=1, page=2, detail="full")
    assert second.split("\n\n")[1] == found.split("\n\n")[2]


def test_filters_choose_documents(call: Call) -> None:
    filters = {"type": ["identity"]}
    failed, found = call("search", question="sum", filters=filters, k=50, characters=40_000, detail="full")
    assert not failed
    assert found.count("· Identity") == found.count("   id: ")
    failed, found = call("search", question="sum", filters={"typ": "identity"})
    assert failed
    assert "typ" in found


def test_formulas_are_found_by_shape_and_by_value(call: Call) -> None:
    failed, found = call("search_formulas", formula=r"\sum_{j=1}^{N} j^2", match="equal", k=3, detail="full")
    assert not failed
    assert found.startswith("At least 1 formula found.\n\n1. $\\frac{1}{6}m(m+1)(2m+1)$ (equal value)\n   in ")
    assert r"$N \mapsto m$" in call("search_formulas", formula=r"\sum_{j=1}^{N} j^2", k=5, detail="full")[1]
    failed, found = call("search_formulas", formula="  ")
    assert failed


def test_two_formulas_are_compared(call: Call) -> None:
    failed, said = call("equal_formulas", first="(a+b)^2", second="a^2+2ab+b^2")
    assert not failed
    assert said.startswith("Equal (same value).")
    assert call("equal_formulas", first="x+y", second="a+b")[1].startswith("Equal (renamed).")
    differ = call("equal_formulas", first="(a+b)^2", second="a^2+b^2")[1]
    assert differ.startswith("Not equal (different).")
    assert "at $a = 2$, $b = 3$: first $25$, second $13$" in differ
    failed, said = call("equal_formulas", first="x" * 4_001, second="x")
    assert failed
    assert "4,000" in said
    assert "Note: not read at position" in call("equal_formulas", first=r"\frac{a", second="a")[1]


def test_a_score_is_explained(call: Call) -> None:
    failed, text = call("explain", question=r"sum of squares $\sum k^2$", id="sum-of-squares")
    assert not failed
    summary, _, *lines = text.splitlines()
    assert summary == "a similar formula, with all of ∑ k²; sum, squares in the title and once in the text"
    assert lines[0].endswith(" document sum-of-squares")
    parts = [float(line.split()[0]) for line in lines if line.startswith("  ") and line[2] != " "]
    assert sum(parts) == pytest.approx(float(lines[0].split()[0]), abs=0.01)
    assert "answers $\\sum k^2$: " in text


def test_documents_like_one_are_not_it(call: Call) -> None:
    failed, text = call("similar", id="sum-of-squares", k=3)
    assert not failed
    assert text.count("   id: ") == 3
    assert "id: sum-of-squares" not in text


async def whole_answer(client: Any, name: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The text of an answer, and its values."""
    result = await client.call_tool(name, arguments)
    assert not result.is_error
    return result.content[0].text, result.structured_content


@every_case(("name", "arguments"), [
    ("search", {"question": r"prime number $p$ $\sum 1/n^2$"}), ("search_formulas", {"formula": r"\sum_{k=1}^n k^2"}),
    ("premises", {"goal": "n : ℕ\n⊢ ∑ k, k = n"}), ("search", {"question": "sum", "k": 50}),
    ("patterns", {"pattern": "_ = _", "k": 20}),
])  # fmt: skip
def test_ten_results_take_a_kilobyte(library: Any, name: str, arguments: dict[str, Any]) -> None:
    server = make_mcp_server(library)
    text, values = with_client(server, lambda client: whole_answer(client, name, arguments))
    assert len(text.encode()) <= 1_000
    assert len(json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode()) <= 1_000
    assert len(values["hits"]) >= min(10, values["total"])
    assert len(values["hits"]) + values["left_out"] == min(arguments.get("k", 10), values["total"])
    for hit in values["hits"]:
        assert f"\n{hit['id']}: {hit['line']}" in text or not hit["line"]
    _, full = with_client(server, lambda client: whole_answer(client, name, arguments | {"detail": "full"}))
    assert [hit["id"] for hit in full["hits"]][: len(values["hits"])] == [hit["id"] for hit in values["hits"]]


def test_declarations_are_listed_with_their_signatures_and_prove_goals(tmp_path: Path) -> None:
    lean, index = tmp_path / "lean", tmp_path / "index"
    lean.mkdir()
    (lean / "A.lean").write_text(
        "/-- Addition commutes. -/\ntheorem add_comm (a b : ℕ) : a + b = b + a := p\n"
        "theorem mul_dvd_mul (a b c : ℕ) (h : a ∣ b) : a * c ∣ b * c := p\n", encoding="utf-8",
    )  # fmt: skip
    index_sources([lean], index, jobs=1)
    with closing(Library({"lean": index})) as library:
        goal = "x y z : ℕ\nhxy : x ∣ y\n⊢ x * z ∣ y * z"
        text, values = with_client(
            make_mcp_server(library), lambda client: whole_answer(client, "premises", {"goal": goal})
        )
    assert values["hits"][0] == {
        "id": "lean/A.lean#mul_dvd_mul", "line": "(a b c : ℕ) (h : a ∣ b) : a * c ∣ b * c",
    }  # fmt: skip
    assert text.splitlines()[1] == "lean/A.lean#mul_dvd_mul: (a b c : ℕ) (h : a ∣ b) : a * c ∣ b * c"


def test_statements_are_found_by_pattern(tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text("theorem add_comm (a b : ℕ) : a + b = b + a := p\n", encoding="utf-8")
    index_sources([tmp_path / "A.lean"], tmp_path / "index", jobs=1)
    with closing(Library({"lean": tmp_path / "index"})) as library:
        text, values = with_client(
            make_mcp_server(library), lambda client: whole_answer(client, "patterns", {"pattern": "?x + ?y = ?y + ?x"})
        )
    assert values["hits"] == [{"id": "A.lean#add_comm", "line": "(a b : ℕ) : a + b = b + a"}]
    assert text == "1 statement found.\nA.lean#add_comm: (a b : ℕ) : a + b = b + a"


@every_case("characters", [500, 700, 2_000])
def test_answers_fit(call: Call, characters: int) -> None:
    _, text = call("search", question="prime number $p$", k=20, characters=characters, detail="full")
    assert "\n1. " in text
    assert len(text) < characters + 900  # the first result is shown whatever its length, and what was left out is said
    assert "did not fit" in text


def test_a_long_document_comes_in_parts() -> None:
    text = "".join(map(str, range(3_000)))
    parts, start = [], 0
    while True:
        part = cut(text, start, 1_000)
        body, _, note = part.partition("\n\n[")
        parts.append(body)
        if "go on with start=" not in note:
            break
        start = int(note.rpartition("=")[2].rstrip("]"))
    assert "".join(parts) == text
    assert cut("short", 0, 100) == "short"


@every_case(
    ("name", "arguments", "said"),
    [
        ("fetch", {"id": "nope"}, "There is no document 'nope' in the index."),
        ("search", {"question": " "}, "The query is empty. Ask with"),
        ("search", {"question": "x" * 5_000}, "4,000"),
        ("search", {"question": "x", "index": "sampel"}, "There is no index 'sampel'. Did you mean sample?"),
        ("search", {"question": "x", "k": 0}, "greater than or equal to 1"),
        ("search", {}, "question"),
        ("search", {"question": "x" * 30_000}, "at most 20000"),
        ("fetch", {"id": "x" * 3_000}, "at most 2000"),
        ("search", {"question": "x", "filters": {str(key): "a" for key in range(30)}}, "at most 20"),
        ("premises", {"goal": "h : a ⊢ "}, "The goal has no conclusion"),
        ("explain", {"question": "x", "id": "nope"}, "no document"),
        ("equal_formulas", {"first": "", "second": "x"}, "empty"),
    ],
)
def test_wrong_calls_say_what_to_do(
    call: Call, sample_index: Path, name: str, arguments: dict[str, Any], said: str
) -> None:
    failed, text = call(name, **arguments)
    assert failed
    assert said in text
    assert str(sample_index) not in text  # nobody's business


def test_indexes_are_listed(call: Call) -> None:
    failed, text = call("indexes")
    assert not failed
    assert text.startswith("sample: 269 documents, ")
    assert "filters by " in text


@LONG_ONLY
def test_the_command_talks_on_standard_input_and_output(sample_index: Path) -> None:
    path = os.pathsep.join(filter(None, sys.path))
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "porism", "mcp", "--index", str(sample_index)],
        env={**os.environ, "PYTHONPATH": path},
    )
    failed, text = with_client(
        stdio_client(command), lambda client: answer(client, "fetch", {"id": "sum-of-squares", "characters": 500})
    )
    assert not failed
    assert text.startswith("# Sum of the first n squares\n")


@contextmanager
def over_http(settings: WebSettings) -> Iterator[str]:
    """The address of the tools while the block runs."""
    with running(http_app(make_mcp_server(Library(settings.indexes), settings.limits), settings)) as address:
        yield f"{address}{MCP_PATH}"


def test_over_http_a_new_commit_is_answered_from(tmp_path: Path) -> None:
    notes, index = tmp_path / "notes", tmp_path / "index"
    notes.mkdir()
    (notes / "a.md").write_text("# First\n\nwords $x^2$\n")
    index_sources([notes], index, jobs=1)

    async def work(client: Any) -> None:
        assert (await answer(client, "search", {"question": "words"}))[1].startswith("1 document found.")
        (notes / "b.md").write_text("# Second\n\nwords $y^2$\n")
        index_sources([notes], index, jobs=1)
        until = time.monotonic() + 30
        while not (await answer(client, "search", {"question": "words"}))[1].startswith("2 documents found."):
            assert time.monotonic() < until
            await anyio.sleep(0.2)

    with over_http(WebSettings({"notes": index}, logs=False)) as address:
        with_client(address, work)


def test_over_http_keys_and_names_are_checked(sample_index: Path, tmp_path: Path) -> None:
    httpx = pytest.importorskip("httpx", reason="requests are made by httpx: pip install 'porism[web-test]'")
    secret, line = new_key("someone")
    (tmp_path / "keys").write_text(line)
    headers = {"accept": "application/json, text/event-stream"}
    body = {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "fetch", "arguments": {"id": "sum-of-squares"}},
    }
    with over_http(WebSettings({"sample": sample_index}, keys=tmp_path / "keys", logs=False)) as address:
        for own, status in (({}, 401), ({"authorization": "Bearer nobody"}, 401), ({"host": "evil.example"}, 421)):
            assert httpx.post(address, json=body, headers={**headers, **own}).status_code == status
        right = {**headers, "authorization": f"Bearer {secret}"}
        answered = httpx.post(address, json=body, headers=right)
        assert answered.status_code == 200
        assert "Sum of the first n squares" in answered.text
        assert httpx.post(address, content=b"x" * 1_100_000, headers=right).status_code == 413
        for origin, status in (
            ("https://evil.example", 403), ("null", 403), ("http://localhost.evil.example", 403),
            ("file://localhost", 403), ("http://localhost:3000", 200), ("http://127.0.0.1", 200),
        ):
            assert httpx.post(address, json=body, headers={**right, "origin": origin}).status_code == status, origin
