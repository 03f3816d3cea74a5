"""Approach Zero as a contender, through pya0's compiled module."""

from __future__ import annotations

import json
import re
import sys
import time
from typing import Any, ClassVar

from benchmarks.common.anserini import Unavailable
from benchmarks.common.task import Entry
from benchmarks.contenders.base import Answer, Contender


class ApproachZero(Contender):
    """Approach Zero through pya0's compiled module, with all formulas and words of a topic, as many as it can take."""

    title = "Approach Zero, automatic"
    install = "pip install pya0==0.3.7 in an environment of Python 3.11, named by --pya0-python"
    word = re.compile(r"[^\W_]+")
    longest: ClassVar[int] = 128
    """More words and formulas in one query end its process."""

    def _module(self) -> Any:
        from importlib.util import find_spec

        found = find_spec("pya0")  # only located: the package itself imports much that is not needed here
        if found is None or not found.submodule_search_locations:
            raise Unavailable("this Python has no pya0")
        sys.path.insert(0, next(iter(found.submodule_search_locations)))
        import _pya0

        return _pya0

    def build(self) -> dict[str, Any]:
        module = self._module()
        index = module.index_open(str(self.index), option="w")
        writer = module.index_writer(index)
        for entry in self.documents():
            content = " ".join(
                part if kind == "text" else f"[imath]{part}[/imath]" for kind, part in entry.parts()
            )
            module.writer_add_doc(writer, content=content, url=entry.id)
        module.writer_flush(writer)
        module.writer_close(writer)
        module.index_close(index)
        return {}

    def open(self) -> None:
        self.module = self._module()
        self.handle = self.module.index_open(str(self.index), option="r")

    def ask(self, topic: Entry, k: int) -> Answer:
        start = time.perf_counter()
        formulas: list[dict[str, str]] = []
        words: list[dict[str, str]] = []
        for kind, part in topic.parts():
            if kind == "math":
                formulas.append({"str": part, "type": "tex"})
            else:
                words += [{"str": word, "type": "term"} for word in self.word.findall(part.lower())]
        query = (formulas + words)[: self.longest]
        answer = self.module.search(self.handle, query, verbose=False, topk=k)
        seconds = time.perf_counter() - start
        best: dict[str, float] = {}
        for hit in json.loads(answer).get("hits", ()):  # a query that it cannot read has none
            best.setdefault(hit["field_url"], float(hit["score"]))
        return seconds, list(best.items())


class ApproachZeroFormulas(ApproachZero):
    """The same where documents and topics are formulas."""

    title = "Approach Zero"
