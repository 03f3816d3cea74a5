"""The web server under load: time to the first page, pages asked for the first time and again, while commits arrive.

Times are those of clients; beside those of new questions stands the processor time of the server for each."""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPException
from itertools import combinations
from pathlib import Path
from urllib.parse import quote, urlsplit

import orjson
import psutil

from porism.corpus.topics import read_topics
from porism.sample import ENTRIES, QUERIES
from porism.search.sources.indexing import index_documents
from porism.search.sources.updating import index_sources
from porism.types import Content, Document


def questions() -> list[str]:
    """The queries of the bundled sample."""
    return [orjson.loads(line)["query"] for line in QUERIES.read_text(encoding="utf-8").splitlines()]


def new_questions() -> list[str]:
    """Those queries without one or two of their words, in an order that is the same each time."""
    found = {}
    for question in questions():
        pieces = re.findall(r"\$[^$]*\$|\S+", question)
        words = [place for place, piece in enumerate(pieces) if not piece.startswith("$")]
        for left_out in (gone for count in (1, 2) for gone in combinations(words, count)):
            kept = " ".join(piece for place, piece in enumerate(pieces) if place not in left_out)
            if kept:
                found[kept] = None
    shuffled = sorted(found.keys() - set(questions()))
    random.Random(0).shuffle(shuffled)
    return shuffled


def topic_questions(topics: Path) -> list[str]:
    """The titles of topics, formulas between dollars."""
    titles = (query.fields.get("title", Content("")).to_latex() for query in read_topics(topics))
    return [" ".join(title.split()) for title in titles if title]


def formulas(of: Sequence[str]) -> list[str]:
    """The formulas of questions, each once."""
    return list(dict.fromkeys(formula for question in of for formula in re.findall(r"\$[^$]+\$", question)))


def processor_seconds(pid: int) -> float:
    """The processor time of a process and its descendants so far."""
    root = psutil.Process(pid)
    times = [process.cpu_times() for process in (root, *root.children(recursive=True))]
    return sum(own.user + own.system for own in times)


def start(index: Path, workers: int) -> tuple[subprocess.Popen[str], str, float]:
    """Starts a server; the process, its address, and the seconds until its first page was there."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "porism", "serve", "--index", str(index), "--port", "0", "--no-log"]
    command += ["--workers", str(workers)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r"http://\S+", process.stdout.readline())
    assert found is not None
    url = found.group().rstrip("/")
    status, _ = ask(HTTPConnection(urlsplit(url).netloc, timeout=60), "/")
    assert status == 200
    return process, url, time.perf_counter() - began


def ask(connection: HTTPConnection, path: str) -> tuple[int, float]:
    """Status and seconds of one request; status 0 where there was no answer."""
    began = time.perf_counter()
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        return answer.status, time.perf_counter() - began
    except (OSError, HTTPException):
        connection.close()
        return 0, time.perf_counter() - began


def client(url: str, paths: Sequence[str], offset: int, end: float) -> list[tuple[int, float]]:
    """Asks for one page after the other, from its own place on, until a moment."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=60)
    answers = []
    number = offset
    while time.monotonic() < end:
        answers.append(ask(connection, paths[number % len(paths)]))
        number += 1
    return answers


def ask_once(url: str, paths: Iterator[str], end: float) -> list[tuple[int, float]]:
    """Asks for pages that nobody else asks for, until a moment or until there are no more."""
    connection = HTTPConnection(urlsplit(url).netloc, timeout=60)
    answers = []
    while time.monotonic() < end and (path := next(paths, None)) is not None:
        answers.append(ask(connection, path))
    return answers


def described(name: str, seconds: Sequence[float]) -> str:
    """Median, 95th percentile and number of times, as a line."""
    ordered = sorted(seconds)
    last = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return f"{name:24}{statistics.median(ordered) * 1000:8.1f} ms median {last * 1000:8.1f} ms p95  {len(ordered):7,}"


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--index", type=Path, help="an index, which is copied; the bundled sample by default")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60.0, help="of load; half of them with commits")
    parser.add_argument("--workers", type=int, default=1, help="processes of the server")
    parser.add_argument("--topics", type=Path, help="topics whose titles are new questions; by default the sample's")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between commits")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index"
        if given.index is None:
            index_sources([ENTRIES], index)
        else:
            shutil.copytree(given.index, index)
        process, url, seconds = start(index, given.workers)
        try:
            print(f"start to first page     {seconds:8.2f} s   ({os.cpu_count()} cores, {given.clients} clients)")
            new = new_questions() if given.topics is None else topic_questions(given.topics)
            asked = {"documents": [f"/search?q={quote(question)}" for question in new]}
            asked["formulas"] = [f"/search?mode=formulas&q={quote(formula)}" for formula in formulas(new)]
            measure(url, index, given.clients, given.seconds, given.every, asked, process.pid)
        finally:
            process.terminate()
            process.wait(30)


def measure(
    url: str, index: Path, clients: int, seconds: float, every: float, new: Mapping[str, Sequence[str]], pid: int
) -> None:
    """The pages of all questions once by one client; the ``new`` ones of each kind once, each by one of all clients;
    then the first ones again by all clients, without and with commits."""
    paths = [f"/search?q={quote(question)}" for question in questions()]
    one = HTTPConnection(urlsplit(url).netloc, timeout=60)
    ask(one, "/search?q=warm")
    print(described("first time, one client", [ask(one, path)[1] for path in paths]))
    for kind, addresses in new.items():
        end = time.monotonic() + seconds / 2
        waiting = iter(addresses)
        before = processor_seconds(pid)
        with ThreadPoolExecutor(clients) as pool:
            running = [pool.submit(ask_once, url, waiting, end) for _ in range(clients)]
            answers = [answer for one in running for answer in one.result()]
        used = 1000 * (processor_seconds(pid) - before) / max(1, len(answers))
        failed = sum(status != 200 for status, _ in answers)
        shown = described(f"new {kind}", [taken for _, taken in answers])
        print(f"{shown}  {failed} failed, {used:.1f} ms of processor time each")
    for name, commits in (("again", False), ("again, with commits", True)):
        end = time.monotonic() + seconds / 2
        with ThreadPoolExecutor(clients) as pool:
            running = [pool.submit(client, url, paths, 7 * number, end) for number in range(clients)]
            made = 0
            while commits and time.monotonic() + every < end:
                time.sleep(every)
                index_documents([Document(f"new-{made}", {"body": Content.of(f"note {made}")})], index, jobs=1)
                made += 1
            answers = [answer for one in running for answer in one.result()]
        failed = sum(status != 200 for status, _ in answers)
        print(described(name, [taken for _, taken in answers]) + f"  {failed} failed, {made} commits")


if __name__ == "__main__":
    main()
