"""Judging by keys: each grade is saved at once, and the page says how far one has come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_servers import Open, serving

from porism.serve.web.judgments import Judgments


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("judged") / "judgments"


@pytest.fixture(scope="module")
def url(sample_index: Path, folder: Path) -> Iterator[str]:
    Judgments(folder).ask("sum of squares")
    with serving({"sample": sample_index}, judgments=folder) as address:
        yield address


def test_keys_grade_go_on_and_are_saved(opened: Open, folder: Path) -> None:
    page = opened("/judge/topic?id=T1&judge=ann", fails=True)
    names = page.locator(".grades input[value='3']").evaluate_all("all => all.map(one => one.name.slice(6))")
    for key in ("3", "0", "j", "2", "k", "x", "1"):
        if key in "jk":
            page.keyboard.press(key)
            continue
        with page.expect_response("**/judge/topic") as saved:
            page.keyboard.press(key)
        assert saved.value.status == 200
    expected = {names[0]: 3, names[1]: 0, names[3]: 1}
    assert Judgments(folder).grades("T1", "ann") == expected
    assert page.locator(".progress").inner_text() == f"3 of {len(names)} judged"
    page.route("**/judge/topic", lambda route: route.abort())
    page.keyboard.press("2")
    page.locator(".card.unsaved").wait_for()
    assert "could not be saved" in page.locator(".progress").inner_text()
    page.unroute("**/judge/topic")
    page.get_by_role("button", name="Save judgments").click()
    page.wait_for_url("**saved=1")
    assert Judgments(folder).grades("T1", "ann") == {**expected, names[4]: 2}
