"""A small question-and-answer collection, written as the dumps of Stack Exchange and ARQMath are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

POSTS: list[dict[str, str]] = [
    {
        "Id": "10", "PostTypeId": "1", "AcceptedAnswerId": "12", "Title": "When is $n^2$ even?", "Score": "3",
        "Body": "<p>Let $n$ be an integer.</p>", "Tags": "<parity><elementary-number-theory>",
    },
    {"Id": "11", "PostTypeId": "2", "ParentId": "20", "Body": "<p>Use \\[e^x\\]</p>"},
    {"Id": "12", "PostTypeId": "2", "ParentId": "10", "Body": "<p>When $n$ is.</p>", "CreationDate": "2020-01-02"},
    {"Id": "13", "PostTypeId": "4", "Body": "about a tag"},
    {
        "Id": "20", "PostTypeId": "1", "Title": "What grows?", "Body": "Exponentials `$a$`\n\n$$e^x$$",
        "Tags": "|growth|",
    },
    {"Id": "21", "PostTypeId": "2", "ParentId": "10", "Body": "<p>Only then.</p>"},
    {"Id": "30", "PostTypeId": "1", "Title": "Unanswered", "Body": "<p>Why?</p>", "Tags": ""},
]
COMMENTS: list[dict[str, str]] = [
    {"Id": "1", "PostId": "12", "Text": "But a<b & $x$?"},
    {"Id": "2", "PostId": "10", "Text": "Which $m$?"},
    {"Id": "3", "PostId": "12", "Text": "Right."},
]
LINKS: list[dict[str, str]] = [
    {"Id": "1", "PostId": "10", "RelatedPostId": "20", "LinkTypeId": "1"},
    {"Id": "2", "PostId": "10", "RelatedPostId": "30", "LinkTypeId": "3"},
    {"Id": "3", "PostId": "10", "RelatedPostId": "20", "LinkTypeId": "1"},
]


def rows(root: str, entries: Sequence[dict[str, str]]) -> str:
    """The entries as a dump."""
    lines = [
        "  <row " + " ".join(f"{name}={quoteattr(value, {chr(10): '&#xA;'})}" for name, value in entry.items()) + "/>"
        for entry in entries
    ]
    return "\n".join(['<?xml version="1.0" encoding="utf-8"?>', f"<{root}>", *lines, f"</{root}>", ""])


def write_dump(folder: Path, version: str = "") -> Path:
    """Writes the collection to a folder."""
    folder.mkdir(exist_ok=True)
    (folder / f"Posts{version}.xml").write_text(rows("posts", POSTS), encoding="utf-8")
    (folder / f"Comments{version}.xml").write_text(rows("comments", COMMENTS), encoding="utf-8")
    (folder / f"PostLinks{version}.xml").write_text(rows("postlinks", LINKS), encoding="utf-8")
    return folder
