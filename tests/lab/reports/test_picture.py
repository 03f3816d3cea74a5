"""Plots as SVG for pages that forbid styles."""

from __future__ import annotations

import pytest
from lxml import etree

pytest.importorskip("matplotlib", reason="needs the extra: pip install 'porism[lab]'")

from porism.lab.reports.curve_plots import precision_recall_plot
from porism.lab.reports.picture import svg


def test_looks_can_be_attributes_in_place_of_styles() -> None:
    plot = precision_recall_plot({"one": [1 - step / 20 for step in range(11)], "two": [0.5] * 11}, baseline=0)
    styled, plain = (etree.fromstring(svg(plot, styles=wanted)) for wanted in (True, False))
    assert not plain.xpath("//@style")
    for before, after in zip(styled.iter(), plain.iter(), strict=True):
        look = dict(pair.split(": ", 1) for pair in (before.get("style") or "").rstrip("; ").split("; ") if pair)
        kept = {name: value for name, value in before.attrib.items() if name != "style"}
        assert dict(after.attrib) == {**kept, **look}
    assert plain.xpath("//*[@stroke='var(--baseline)']")
