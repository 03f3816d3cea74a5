"""The index: a folder of immutable segments and one manifest.

:class:`Snapshot` reads it, :class:`IndexWriter` changes it, and :func:`info` reports what is inside.
"""

from porism.index.joint import JointSnapshot
from porism.index.records import Occurrences
from porism.index.report import ChannelInfo, IndexInfo, SegmentInfo, info
from porism.index.rows import Csr, TermRows
from porism.index.segment import Segment
from porism.index.snapshot import Filters, Masks, Snapshot, locked_snapshot
from porism.index.strings import Dictionary
from porism.index.writer import IndexWriter

__all__ = [
    "ChannelInfo", "Csr", "Dictionary", "Filters", "IndexInfo", "IndexWriter", "JointSnapshot", "Masks", "Occurrences",
    "Segment", "SegmentInfo", "Snapshot", "TermRows", "info", "locked_snapshot",
]
