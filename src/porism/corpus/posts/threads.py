"""Questions, answers, comments and links of a Stack Exchange dump, joined to documents.

The files are read twice: once to note the position of each post and comment (in a temporary database on disk, about 40
bytes a post), once to read the posts of each thread. So memory does not grow with the collection, and the order of
the posts in their file does not matter.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from porism.corpus.base import OnProgress, ReaderOptions
from porism.corpus.html.content import html_to_content
from porism.corpus.mathtext import split_math
from porism.corpus.posts.xml_rows import RowFile, XmlRow
from porism.corpus.streams import ByteProgress, check_source, open_seekable
from porism.corpus.walking import only_inside
from porism.errors import OnProblem, Problem, SourceError
from porism.types import Content, Document, MarkupNotation

QUESTION, ANSWER = 1, 2
_LINK_KINDS = {1: "linked", 3: "duplicates"}
_TAG_NAME = re.compile(r"[^<>|,;\s]+")
_HTML = re.compile(
    r"</(?:p|a|em|strong|i|b|code|pre|span|li|ul|ol|div|blockquote|h[1-6]|table|sup|sub|math)\s*>|<(?:p|br|hr)\s*/?>",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"&(?:lt|gt|amp|quot|nbsp|#39|#x27);")


@dataclass(frozen=True, slots=True)
class ThreadFiles:
    """The files of a collection; only the posts are needed."""

    posts: Path
    comments: Path | None = None
    links: Path | None = None

    @classmethod
    def of(
        cls, path: Path, member: Callable[[str], Path | None], options: ReaderOptions, on_problem: OnProblem, hint: str
    ) -> ThreadFiles:
        """The files of a folder, of which ``member`` finds that of a kind, without those that lead out of it.

        :raises SourceError: there are no posts.
        """
        members = map(member, ("Posts", "Comments", "PostLinks"))
        inside = (only_inside([file] if file else [], path, options, on_problem) for file in members)
        posts, comments, links = (next(iter(files), None) for files in inside)
        if posts is None:
            raise SourceError("there is no file of posts", where=str(path), hint=hint)
        return cls(posts, comments, links)


class ThreadReader:
    """Reads one collection.

    :param name: the collection's name, for the metadata ``source``.
    :param finish: is given every field before it goes into a document, to complete its formulas.
    :param extra_bytes: bytes that the caller reads besides, for the progress.
    """

    def __init__(
        self, files: ThreadFiles, name: str, options: ReaderOptions, on_problem: OnProblem,
        on_progress: OnProgress | None = None, *, finish: Callable[[Content], Content] = lambda content: content,
        extra_bytes: int = 0,
    ) -> None:
        check_source(files.posts, "the posts of a Stack Exchange dump (Posts.xml)")
        self.files, self.name, self.options = files, name, options
        self.on_problem, self.finish = on_problem, finish
        total = 2 * files.posts.stat().st_size + extra_bytes
        for path in (files.comments if options.comments else None, files.links):
            total += path.stat().st_size if path is not None else 0
        self.progress = ByteProgress(on_progress, total)

    def documents(self) -> Iterator[Document]:
        """Yields the documents, threads in the order of their questions.

        :raises SourceError: a file has no row that can be read, or there is no room for the temporary database.
        """
        with ExitStack() as stack:
            stack.enter_context(database_errors(self.files.posts))
            self.database = stack.enter_context(closing(temporary_database()))
            self._open(stack)
            yield from self._by_unit()
        self.progress.finish()

    def _open(self, stack: ExitStack) -> None:
        """Opens the files and notes the position of every row."""
        self.posts = self._row_file(self.files.posts, stack)
        self.comments: RowFile | None = None
        for table in (
            "posts (id INTEGER PRIMARY KEY, kind INT, parent INT, offset INT, length INT)",
            "comments (post INT, offset INT, length INT)",
            "links (post INT, kind INT, related INT)",
        ):
            self.database.execute(f"CREATE TABLE {table}")
        self._note_posts()
        if self.options.comments and self.files.comments is not None:
            self.comments = self._row_file(self.files.comments, stack)
            self._note_comments(self.comments)
        if self.files.links is not None:
            with ExitStack() as links_stack:
                self._note_links(self._row_file(self.files.links, links_stack))
        for index in (
            "posts_of_thread ON posts (kind, parent, offset, length)",
            "comments_of_post ON comments (post, offset, length)",
            "links_of_post ON links (post, kind, related)",
        ):
            self.database.execute(f"CREATE INDEX {index}")

    def _row_file(self, path: Path, stack: ExitStack) -> RowFile:
        encoding = self.options.encoding
        file = stack.enter_context(open_seekable(path, self.on_problem, encoding, self.options.max_unpacked))
        return RowFile(file, path, self.on_problem, encoding)

    def _note_posts(self) -> None:
        count, execute = 0, self.database.execute
        for row in self.posts.scan(self.progress):
            number = self._integer(self.posts, row, "Id")
            kind = self._integer(self.posts, row, "PostTypeId")
            if number is None or kind is None:
                continue
            parent = 0
            if kind == ANSWER:
                question = self._integer(self.posts, row, "ParentId")
                if question is None:
                    continue
                parent = question
            elif kind != QUESTION:
                continue  # tag wikis, moderators' notes
            if not execute(
                "INSERT OR IGNORE INTO posts VALUES (?, ?, ?, ?, ?)", (number, kind, parent, row.offset, row.length)
            ).rowcount:
                execute("REPLACE INTO posts VALUES (?, ?, ?, ?, ?)", (number, kind, parent, row.offset, row.length))
                self.on_problem(
                    Problem(f"{self.posts.name}:{row.line}", f"post {number} occurs twice; the later one counts")
                )
            count += 1
        if not count:
            raise SourceError(
                "no question or answer was found", where=str(self.files.posts),
                hint='Expected elements like <row Id="1" PostTypeId="1" Title="…" Body="…"/>',
            )

    def _note_comments(self, comments: RowFile) -> None:
        self.database.executemany(
            "INSERT INTO comments VALUES (?, ?, ?)",
            (
                (post, row.offset, row.length) for row in comments.scan(self.progress)
                if (post := self._integer(comments, row, "PostId")) is not None
            ),
        )

    def _note_links(self, links: RowFile) -> None:
        def rows() -> Iterator[tuple[int, int, int]]:
            for row in links.scan(self.progress):
                numbers = [self._integer(links, row, name) for name in ("PostId", "LinkTypeId", "RelatedPostId")]
                post, kind, related = numbers
                if post is not None and kind is not None and related is not None:
                    yield post, kind, related

        self.database.executemany("INSERT INTO links VALUES (?, ?, ?)", rows())

    def _integer(self, file: RowFile, row: XmlRow, name: str) -> int | None:
        value = row.attributes.get(name, "")
        if value.isdigit() and value.isascii() and len(value) <= 18:
            return int(value)
        problem = f"has {name}={value[:20]!r}, which is not a number" if value else f"has no {name}"
        self.on_problem(Problem(f"{file.name}:{row.line} (byte {row.offset})", f"a row {problem} and is skipped"))
        return None

    # Documents

    def _by_unit(self) -> Iterator[Document]:
        unit = self.options.unit
        questions = self.database.execute("SELECT id, offset, length FROM posts WHERE kind = 1 ORDER BY parent, offset")
        for number, offset, length in questions:
            question = self._post(offset, length)
            if unit == "question":
                yield self._question(number, question)
                continue
            answers = self.database.execute(
                "SELECT id, offset, length FROM posts WHERE kind = 2 AND parent = ? ORDER BY offset", (number,)
            )
            if unit == "thread":
                yield self._thread(number, question, answers)
            else:
                yield from self._answers(number, question, answers)
        if unit != "question":
            yield from self._orphans()

    def _answers(
        self, question_id: int, question: dict[str, str] | None, answers: Iterable[tuple[int, int, int]]
    ) -> Iterator[Document]:
        shared: dict[str, Content] | None = None
        of_question: dict[str, str | tuple[str, ...]] = {}
        for number, offset, length in answers:
            answer = self._post(offset, length)
            if shared is None:  # a question without answers is not even parsed
                shared = self._question_fields(question_id, question) if question is not None else {}
                tags = tag_names(question.get("Tags", "")) if question is not None else ()
                of_question = {
                    "type": "answer", "question_id": str(question_id), "tags": tags, "source": self.name,
                    **self._links(question_id),
                }
            fields = {
                "title": shared.get("title"),
                "body": self._body(number, answer),
                "question": shared.get("body"),
                "tags": shared.get("tags"),
                "comments": self._comments([number]),
            }
            metadata = of_question | self._common(answer)
            if question is not None and question.get("AcceptedAnswerId") == str(number):
                metadata["accepted"] = "true"
            yield Document(str(number), _filled(fields), metadata)

    def _question(self, number: int, question: dict[str, str]) -> Document:
        fields = self._question_fields(number, question) | {"comments": self._comments([number])}
        return Document(str(number), _filled(fields), self._question_metadata(number, question, "question"))

    def _thread(self, number: int, question: dict[str, str], answers: Iterable[tuple[int, int, int]]) -> Document:
        rows = [(answer, self._post(offset, length)) for answer, offset, length in answers]
        shared = self._question_fields(number, question)
        fields = {
            "title": shared["title"],
            "body": shared["body"],
            "answers": join_contents([self._body(answer, row) for answer, row in rows], "\n\n"),
            "tags": shared["tags"],
            "comments": self._comments([number, *(answer for answer, _ in rows)]),
        }
        metadata = self._question_metadata(number, question, "thread")
        metadata["answer_ids"] = tuple(str(answer) for answer, _ in rows)
        return Document(str(number), _filled(fields), metadata)

    def _orphans(self) -> Iterator[Document]:
        """Answers to questions that the collection does not hold, each a document of its own."""
        orphans = self.database.execute(
            "SELECT parent, id, offset, length FROM posts AS answer WHERE kind = 2 AND NOT EXISTS "
            "(SELECT 1 FROM posts WHERE id = answer.parent AND kind = 1) ORDER BY parent, offset"
        )
        previous = None
        for parent, number, offset, length in orphans:
            if parent != previous:
                previous = parent
                self.on_problem(
                    Problem(f"{self.posts.name}: post {number}", f"its question {parent} is not in the collection")
                )
            yield from self._answers(parent, None, [(number, offset, length)])

    def _post(self, offset: int, length: int) -> dict[str, str]:
        self.progress.add(length)
        return self.posts.read(offset, length)

    def _question_fields(self, number: int, question: dict[str, str]) -> dict[str, Content]:
        title = inline_content(question.get("Title", ""), self._where(number, "title"), self.on_problem)
        tags = Content(" ".join(tag_names(question.get("Tags", ""))))
        return {"title": self.finish(title), "body": self._body(number, question), "tags": tags}

    def _body(self, number: int, post: dict[str, str]) -> Content:
        text = post.get("Body", "")
        return self.finish(body_content(text, self._where(number, "body"), self.on_problem, self.options.formulas))

    def _comments(self, posts: Sequence[int]) -> Content:
        comments = self.comments
        if comments is None:
            return Content("")
        contents = []
        for post in posts:
            for offset, length in self.database.execute(
                "SELECT offset, length FROM comments WHERE post = ? ORDER BY offset", (post,)
            ):
                text = comments.read(offset, length).get("Text", "")
                contents.append(inline_content(text, f"{comments.name}: comments of {post}", self.on_problem))
        return self.finish(join_contents(contents, "\n")) if contents else Content("")

    def _where(self, number: int, field: str) -> str:
        return f"{self.posts.name}: post {number}: {field}"

    def _question_metadata(self, number: int, question: dict[str, str], kind: str) -> dict[str, str | tuple[str, ...]]:
        tags = tag_names(question.get("Tags", ""))
        metadata: dict[str, str | tuple[str, ...]] = {
            "type": kind, "question_id": str(number), "tags": tags, "source": self.name,
        }
        if accepted := question.get("AcceptedAnswerId"):
            metadata["accepted_answer_id"] = accepted
        return metadata | self._common(question) | self._links(number)

    def _common(self, post: dict[str, str]) -> dict[str, str | tuple[str, ...]]:
        names = (("Score", "score"), ("CreationDate", "created"))
        return {key: post[name] for name, key in names if post.get(name)}

    def _links(self, number: int) -> dict[str, str | tuple[str, ...]]:
        links: dict[str, dict[str, None]] = {}
        for kind, related in self.database.execute("SELECT kind, related FROM links WHERE post = ?", (number,)):
            if kind in _LINK_KINDS:
                links.setdefault(_LINK_KINDS[kind], {})[str(related)] = None
        return {kind: tuple(related) for kind, related in links.items()}


def temporary_database() -> sqlite3.Connection:
    """A database that lives in memory until it is large, then in a temporary file, and is gone when closed."""
    database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    database.execute("PRAGMA cache_size = -32768")
    database.execute("BEGIN")
    return database


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turns failures of a temporary database, such as a full disk, into a :class:`SourceError` about ``path``."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise SourceError(
            f"the temporary database failed ({error})", where=str(path),
            hint="Make room on the disk, or point TMPDIR to another one",
        ) from error


def tag_names(text: str) -> tuple[str, ...]:
    """The tags of ``<calculus><real-analysis>``, ``|calculus|real-analysis|`` or a list with commas or spaces."""
    return tuple(_TAG_NAME.findall(text))


def body_content(text: str, where: str, on_problem: OnProblem, formulas: MarkupNotation = "latex") -> Content:
    """A post's body: HTML where it has a tag of HTML, else Markdown."""
    if _HTML.search(text):
        return html_to_content(text, formulas=formulas, where=where, on_problem=on_problem)
    return split_math(text, code=True, where=where, on_problem=on_problem)


def inline_content(text: str, where: str, on_problem: OnProblem) -> Content:
    """A title or a comment: text with dollars, or HTML where it has closed tags (ARQMath's spans)."""
    if "</" in text and _HTML.search(text):
        return html_to_content(text, where=where, on_problem=on_problem)
    if _ESCAPED.search(text):
        text = unescape(text)
    return split_math(text, code=True, where=where, on_problem=on_problem)


def join_contents(contents: Sequence[Content], separator: str) -> Content:
    """One content of several, a separator between them."""
    formulas = tuple(formula for content in contents for formula in content.formulas)
    return Content(separator.join(content.text for content in contents), formulas)


def _filled(fields: Mapping[str, Content | None]) -> dict[str, Content]:
    """The fields that hold something; ``body`` always."""
    return {name: content for name, content in fields.items() if content is not None and (content or name == "body")}
