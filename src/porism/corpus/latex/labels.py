"""What labels name, and which of them the reading depended on."""

from __future__ import annotations


class LabelKinds:
    """Label → what it names (``lemma``), of what has been read."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._before: dict[str, str | None] = {}

    def kind_of(self, label: str) -> str | None:
        """What the label names; None where that has not been read."""
        kind = self._kinds.get(label)
        self._before.setdefault(label, kind)
        return kind

    def add(self, label: str, kind: str) -> None:
        """The label names this, unless it names something already."""
        if self.kind_of(label) is None:
            self._kinds[label] = kind

    def set(self, label: str, kind: str) -> None:
        """The label names this."""
        self.kind_of(label)
        self._kinds[label] = kind

    def watch(self) -> None:
        """From here on, :meth:`watched` collects what is looked up or given."""
        self._before = {}

    def watched(self) -> dict[str, tuple[str | None, str | None]]:
        """Each label that was looked up or given since :meth:`watch`: what it named then, and what it names now."""
        return {label: (kind, self._kinds.get(label)) for label, kind in self._before.items()}

    def fit(self, watched: dict[str, tuple[str | None, str | None]]) -> bool:
        """Whether the labels name what they named at the beginning of what was watched."""
        return all(self._kinds.get(label) == before for label, (before, _) in watched.items())

    def replay(self, watched: dict[str, tuple[str | None, str | None]]) -> None:
        """Gives what was given while it was watched."""
        self._kinds.update({label: after for label, (_, after) in watched.items() if after is not None})
