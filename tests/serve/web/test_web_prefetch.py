"""Results are asked for when one stops typing, at the address that the form goes to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_servers import Open, serving


@pytest.fixture(scope="module")
def url(sample_index: Path) -> Iterator[str]:
    with serving({"sample": sample_index}) as address:
        yield address


def test_a_question_is_asked_before_it_is_sent(opened: Open) -> None:
    page = opened("/")
    for question, status in (("nothing:here", 204), ("sum of $k^2$", 200)):
        page.locator("#q").fill("")
        with page.expect_response(lambda answer: "/search?" in answer.url) as asked:
            page.locator("#q").press_sequentially(question)
        assert asked.value.status == status
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert page.url == asked.value.url
