"""Sources: readers of collections, topics and judgments."""

from typing import TYPE_CHECKING

from porism.system.lazy_imports import lazy_names

if TYPE_CHECKING:
    from porism.corpus.base import OnProgress, Reader, ReaderOptions
    from porism.corpus.html.content import html_to_content
    from porism.corpus.mathtext import split_math
    from porism.corpus.opening import open_source
    from porism.corpus.registry import READERS, detect_format
    from porism.corpus.topics import read_qrels, read_topic_information, read_topics

__all__ = [
    "READERS",
    "OnProgress",
    "Reader",
    "ReaderOptions",
    "detect_format",
    "html_to_content",
    "open_source",
    "read_qrels",
    "read_topic_information",
    "read_topics",
    "split_math",
]

__getattr__ = lazy_names(__name__, {
    "base": ("OnProgress", "Reader", "ReaderOptions"),
    "html.content": ("html_to_content",),
    "mathtext": ("split_math",),
    "opening": ("open_source",),
    "registry": ("READERS", "detect_format"),
    "topics": ("read_qrels", "read_topic_information", "read_topics"),
})
