"""What a project's settings leave out: theorem-like environments and sections in branches that are not taken.

Each such beginning is noted when its file is cut into tokens (:class:`~porism.corpus.latex.tokens.Placed`). Those that
have not been carried out when the file ends were in an argument or a branch that nothing used. Where the project loads
the file again, with other settings, only they are read; what is left out in the end is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from porism.corpus.latex.tokens import FileFrame, Placed
from porism.errors import Problem

MAX_NAMED = 5
"""So many of what a file leaves out are named with their lines."""
MAX_READINGS = 4
"""A file that leaves something out is read so often where the project loads it again."""


def pass_over(tokens: Iterable[object]) -> None:
    """Says that these tokens are not content, as in a comment or a definition."""
    for token in tokens:
        if isinstance(token, Placed):
            token.state = "read"


class Omissions:
    """What the files of one document have left out until now.

    :param is_statement: whether an environment or heading of a name begins a document.
    """

    def __init__(self, is_statement: Callable[[str], bool]) -> None:
        self._is_statement = is_statement
        self._left_out: dict[str, dict[int, str]] = {}
        self._repeatable: set[str] = set()
        self._readings: Counter[str] = Counter()

    def of(self, frame: FileFrame) -> dict[int, str]:
        """Line → name of what has been passed over of a file so far."""
        frame.placed = [each for each in frame.placed if each.state != "read"]
        return {
            each.line: each.name for each in frame.placed
            if each.state == "omitted" or (each.name and self._is_statement(each.name))
        }

    def leave(self, frame: FileFrame, outer: Sequence[FileFrame]) -> bool:
        """Notes what a file leaves out that ends here, inside others; whether there is something."""
        self._readings[frame.name] += 1
        if not frame.is_repeated:
            self._left_out[frame.name] = self.of(frame)
        if not self._left_out.get(frame.name):
            return False
        self._repeatable.update(each.name for each in (frame, *outer))
        return True

    def may_repeat(self, name: str) -> bool:
        """Whether a file is to be read again, as it or a file that it loads has left something out."""
        return name in self._repeatable and self._readings[name] < MAX_READINGS

    def takes(self, frame: FileFrame, line: int) -> bool:
        """Whether what begins in this line is to be read: in a file that is read again, what has been left out."""
        return not frame.is_repeated or self._left_out.get(frame.name, {}).pop(line, None) is not None

    def problems(self) -> Iterator[Problem]:
        """A problem for each file that has left something out."""
        for file, left_out in self._left_out.items():
            named = [f"{name} in line {line}" for line, name in list(left_out.items())[:MAX_NAMED]]
            more = f" and {len(left_out) - MAX_NAMED} more" if len(left_out) > MAX_NAMED else ""
            if named:
                problem = f"left out, as the project's settings say: {', '.join(named)}{more}"
                yield Problem(f"{file}:{next(iter(left_out))}", problem)
