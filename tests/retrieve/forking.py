"""A process with threads that search is forked again and again: does each child answer?

::

    python tests/retrieve/forking.py 40
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from pathlib import Path

from porism.corpus import open_source
from porism.sample import ENTRIES
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents

WORDS = "group ring field prime matrix integral series limit compact kernel measure graph vector convex norm".split()


def ask(index: object, number: int) -> None:
    first, second = WORDS[number % len(WORDS)], WORDS[number // len(WORDS) % len(WORDS)]
    index.search(f"{first} of a {second} x{number} $x^{{{number % 7}}}$", k=5)  # type: ignore[attr-defined]


def fork_while_searching(children: int, seconds: float, most: int | None = None) -> int:
    """How many of so many children do not answer within some seconds; at most so many documents are indexed."""
    with tempfile.TemporaryDirectory() as folder:
        documents = list(open_source(ENTRIES))[:most]
        for part in range(3):  # several segments, whose terms have numbers in common
            index_documents(documents[part::3], Path(folder) / "index", jobs=1)
        index = open_index(Path(folder) / "index")
        ask(index, 0)
        stop = threading.Event()

        def search(start: int) -> None:
            number = start
            while not stop.is_set():
                number += 2
                ask(index, number)

        threads = [threading.Thread(target=search, args=(start,), daemon=True) for start in range(2)]
        for thread in threads:
            thread.start()
        hung = 0
        for number in range(children):
            child = os.fork()
            if child == 0:
                signal.signal(signal.SIGALRM, signal.SIG_DFL)
                signal.setitimer(signal.ITIMER_REAL, seconds)
                try:
                    ask(index, number)
                    os._exit(0)
                except BaseException:
                    os._exit(1)
            hung += os.waitpid(child, 0)[1] != 0
        stop.set()
        for thread in threads:
            thread.join()
    return hung


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    print(f"{fork_while_searching(asked, 20.0)} of {asked} children do not answer")
