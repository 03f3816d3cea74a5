"""Milvus as a :class:`~porism.serve.backends.base.Backend`: a collection for each table, and one for the state.

All collections are searched exactly: sparse vectors by an inverted index with the algorithm ``TAAT_NAIVE`` and nothing
dropped, dense ones by the index ``FLAT``, both by inner products, at the consistency level ``Strong``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar
from urllib.parse import quote, unquote, urlsplit

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, EngineError
from porism.extras import need
from porism.serve.backends.base import (
    ANY_FILTER,
    EVERYWHERE,
    MAX_FILTERS,
    PARTS,
    Hits,
    RowFilter,
    Rows,
    SparseRows,
    Table,
    Vectors,
)

T = TypeVar("T")

EXTRA = "cluster"

DEFAULT_URI = "http://127.0.0.1:19530"
URI_VARIABLE = "PORISM_MILVUS_URI"
TOKEN_VARIABLE = "PORISM_MILVUS_TOKEN"
"""The environment variable with the token, or ``user:password``, of a server that asks for one."""

SUPPORTED = (2, 4)
"""The oldest version of Milvus whose sparse vectors this needs; milvus-lite counts on its own, from 3."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_STATE = "state"
_MAX_KEY_LENGTH = 60_000
_MAX_TEXT_LENGTH = 65_000
_BATCH_SIZE = 1_000
_MAX_BYTES = 16 << 20
_SETTLED = {"consistency_level": "Strong"}


class MilvusBackend:
    """Collections of a Milvus server whose names begin with a prefix."""

    most = 16_384

    def __init__(self, uri: str = "", prefix: str = "porism", timeout: float = 60.0) -> None:
        """Connects to ``uri`` (by default what the environment variable ``PORISM_MILVUS_URI`` says, else Milvus on this
        machine), with the token of ``PORISM_MILVUS_TOKEN`` where there is one. A request takes ``timeout`` seconds at
        most.

        :raises MissingExtra: pymilvus is not installed.
        :raises ConfigError: the prefix cannot begin the name of a collection, or ``uri`` is none of a server.
        :raises EngineError: there is no server, or its version is too old.
        """
        self._milvus = need("pymilvus", EXTRA, "an export to Milvus")
        self.uri = uri or os.environ.get(URI_VARIABLE) or DEFAULT_URI
        parts = urlsplit(self.uri)
        if parts.scheme not in ("http", "https", "tcp", "unix") or not (parts.netloc or parts.path):
            raise ConfigError(f"{self.uri!r} is not the address of a Milvus server", hint=f"Such as {DEFAULT_URI}")
        if parts.password:
            raise ConfigError(
                "the address of a Milvus server cannot have a password", where=f"{parts.scheme}://{parts.hostname}",
                hint=f"Set the environment variable {TOKEN_VARIABLE} to user:password.",
            )
        if not _NAME.fullmatch(prefix):
            raise ConfigError(
                f"{prefix[:60]!r} cannot be the name of collections",
                hint="Use letters, digits and underscores; begin with a letter.",
            )
        self.prefix, self._timeout = prefix, timeout
        with self._errors("cannot be reached", f"Is it running? Name it: --uri ADDRESS, or {URI_VARIABLE}."):
            self._client = self._milvus.MilvusClient(
                self.uri, token=os.environ.get(TOKEN_VARIABLE, ""), timeout=min(timeout, 10.0)
            )
            version = str(self._client.get_server_version())
        self._check(version)

    def __str__(self) -> str:
        return f"Milvus at {self.uri}, collections {self.prefix}_*"

    def _check(self, version: str) -> None:
        numbers = re.search(r"(\d+)\.(\d+)", version)
        release = (int(numbers[1]), int(numbers[2])) if numbers else None
        oldest = (3, 0) if "lite" in version else SUPPORTED
        if release is not None and release < oldest:
            raise EngineError(
                f"the server is {version}, which is too old", where=self.uri,
                hint=f"Use Milvus {SUPPORTED[0]}.{SUPPORTED[1]} or newer (milvus-lite 3 or newer).",
            )

    @contextmanager
    def _errors(self, message: str, hint: str = "") -> Iterator[None]:
        """What Milvus, or the way to it, reports, as an :class:`EngineError`."""
        import logging

        rpc_error = need("grpc", EXTRA, "an export to Milvus").RpcError
        logger = logging.getLogger("pymilvus")
        before = logger.level
        logger.setLevel(logging.CRITICAL)  # it prints a traceback of what is reported here
        try:
            yield
        except (self._milvus.MilvusException, rpc_error, ValueError) as error:
            reason = " ".join(str(getattr(error, "message", "") or error).split())[:300]
            raise EngineError(f"{message} ({reason.rstrip('.')})", where=self.uri, hint=hint or None) from error
        finally:
            logger.setLevel(before)

    def _read(self, name: str, message: str, call: Callable[[str], T]) -> T:
        """What a call gives that reads a collection, which is loaded where it is not: servers forget at a restart which
        ones were."""
        of = self._of(name)
        with self._errors(message):
            try:
                return call(of)
            except self._milvus.MilvusException as error:
                if "load" not in str(error).lower():
                    raise
            self._client.load_collection(of, timeout=self._timeout)
            return call(of)

    def _of(self, name: str) -> str:
        return f"{self.prefix}_{name}"

    # State

    def read_state(self) -> str | None:
        message = "the state cannot be read"
        with self._errors(message):
            if not self._client.has_collection(self._of(_STATE), timeout=self._timeout):
                return None
        rows = self._read(_STATE, message, lambda of: self._client.query(
            of, ids=[_STATE], output_fields=["text"], timeout=self._timeout, **_SETTLED
        ))
        return str(rows[0]["text"]) if rows else None

    def write_state(self, state: str) -> None:
        """Replaces the state.

        :raises EngineError: it is longer than Milvus can keep.
        """
        if len(state.encode()) > _MAX_TEXT_LENGTH:
            raise EngineError(
                f"the state of the export is {len(state.encode()):,} bytes, which are too many", where=self.uri,
                hint="Merge the segments of the index (porism merge), or export fewer models.",
            )
        name = self._of(_STATE)
        kinds = self._milvus.DataType
        with self._errors("the state cannot be written"):
            if not self._client.has_collection(name, timeout=self._timeout):
                schema = self._milvus.MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
                schema.add_field("key", kinds.VARCHAR, max_length=100, is_primary=True)
                schema.add_field("text", kinds.VARCHAR, max_length=_MAX_TEXT_LENGTH + 1)
                schema.add_field("vector", kinds.FLOAT_VECTOR, dim=2)  # no collection is without one
                self._create(name, schema, "FLAT", {})
            self._client.upsert(name, [{"key": _STATE, "text": state, "vector": [0.0, 0.0]}], timeout=self._timeout)

    # Tables

    def tables(self) -> list[str]:
        """The names of the tables that there are; those of a longer prefix that begins with this one are not among
        them."""
        with self._errors("the collections cannot be listed"):
            names = self._client.list_collections(timeout=self._timeout)
        own, state = self._of(""), self._of(_STATE)
        ours = [name for name in names if name.startswith(own) and name != state]
        others = tuple(name.removesuffix(_STATE) for name in ours if name.endswith(f"_{_STATE}"))
        return sorted(name.removeprefix(own) for name in ours if not name.startswith(others))

    def make(self, table: Table) -> None:
        name = self._of(table.name)
        kinds = self._milvus.DataType
        with self._errors(f"the collection {name} cannot be made"):
            if self._client.has_collection(name, timeout=self._timeout):
                return
            schema = self._milvus.MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
            schema.add_field("key", kinds.VARCHAR, max_length=_MAX_KEY_LENGTH, is_primary=True)
            schema.add_field("part", kinds.INT64)
            schema.add_field("stamp", kinds.INT64)
            schema.add_field("filters", kinds.ARRAY, element_type=kinds.INT64, max_capacity=MAX_FILTERS)
            if table.documents:
                schema.add_field("document", kinds.JSON)
            if table.dimensions:
                schema.add_field("vector", kinds.FLOAT_VECTOR, dim=table.dimensions)
                self._create(name, schema, "FLAT", {})
            else:
                schema.add_field("vector", kinds.SPARSE_FLOAT_VECTOR)
                self._create(name, schema, "SPARSE_INVERTED_INDEX", {"inverted_index_algo": "TAAT_NAIVE"})

    def _create(self, name: str, schema: Any, index: str, parameters: dict[str, Any]) -> None:
        indexes = self._milvus.MilvusClient.prepare_index_params()
        indexes.add_index("vector", index_type=index, metric_type="IP", params=parameters)
        self._client.create_collection(name, schema=schema, index_params=indexes, timeout=self._timeout, **_SETTLED)

    def drop(self, name: str) -> None:
        with self._errors(f"the collection {self._of(name)} cannot be removed"):
            self._client.drop_collection(self._of(name), timeout=self._timeout)

    def count(self, name: str) -> int:
        rows = self._query(name, filter="", output_fields=["count(*)"])
        return int(rows[0]["count(*)"])

    def stamps(self, name: str, keys: Sequence[str] | None = None) -> Iterator[tuple[list[str], NDArray[np.int64]]]:
        if keys is None:
            yield from self._all_stamps(name)
            return
        for start in range(0, len(keys), _BATCH_SIZE):
            written = list(map(_written, keys[start : start + _BATCH_SIZE]))
            yield _stamped(self._query(name, ids=written, output_fields=["key", "stamp"]))

    def _query(self, name: str, **options: Any) -> Sequence[dict[str, Any]]:
        """Rows of a table."""
        rows: Sequence[dict[str, Any]] = self._read(
            name, f"the collection {self._of(name)} cannot be read",
            lambda of: self._client.query(of, timeout=self._timeout, **options, **_SETTLED),
        )
        return rows

    def _all_stamps(self, name: str, low: int = 0, high: int = PARTS) -> Iterator[tuple[list[str], NDArray[np.int64]]]:
        """The rows of a range of parts; one that has more rows than an answer can is halved."""
        rows = self._query(name, filter=_range(low, high), output_fields=["key", "stamp"], limit=self.most)
        if len(rows) < self.most or high - low < 2:
            yield _stamped(rows)
            return
        middle = (low + high) // 2
        yield from self._all_stamps(name, low, middle)
        yield from self._all_stamps(name, middle, high)

    def put(self, name: str, rows: Rows) -> None:
        """Adds rows, and replaces those that have the same key; in requests of 16 MB at most."""
        batch: list[dict[str, Any]] = []
        size = 0
        for number, key in enumerate(rows.keys):
            written = _written(key)
            if len(written) > _MAX_KEY_LENGTH:
                raise EngineError(f"the id {key[:60]!r}… is too long, of {_MAX_KEY_LENGTH:,} bytes", where=self.uri)
            filters = rows.filters[number]
            row: dict[str, Any] = {
                "key": written, "part": int(rows.parts[number]), "stamp": int(rows.stamps[number]),
                "filters": filters.tolist() if len(filters) <= MAX_FILTERS else [ANY_FILTER],
            }
            if isinstance(rows.vectors, SparseRows):
                row["vector"] = rows.vectors.row(number)
                size += 8 * len(row["vector"])
            else:
                row["vector"] = rows.vectors[number]
                size += 4 * rows.vectors.shape[1]
            if rows.documents is not None:
                row["document"] = rows.documents[number].decode()
                size += len(rows.documents[number])
            size += 8 * len(row["filters"]) + len(written) + 50
            batch.append(row)
            if size > _MAX_BYTES or len(batch) == _BATCH_SIZE:
                self._upsert(name, batch)
                batch, size = [], 0
        if batch:
            self._upsert(name, batch)

    def _upsert(self, name: str, batch: list[dict[str, Any]]) -> None:
        with self._errors(f"rows of {self._of(name)} cannot be written"):
            done = self._client.upsert(self._of(name), batch, timeout=self._timeout)
        if int(done["upsert_count"]) != len(batch):
            raise EngineError(f"of {len(batch):,} rows {done['upsert_count']} were written", where=self.uri)

    def remove(self, name: str, keys: Sequence[str]) -> None:
        for start in range(0, len(keys), _BATCH_SIZE):
            with self._errors(f"rows of {self._of(name)} cannot be removed"):
                self._client.delete(
                    self._of(name), ids=list(map(_written, keys[start : start + _BATCH_SIZE])), timeout=self._timeout
                )

    def flush(self, name: str) -> None:
        """Seals what was written, so that indexes are built of it, and loads it."""
        with self._errors(f"the collection {self._of(name)} cannot be flushed"):
            self._client.flush(self._of(name), timeout=self._timeout)
            self._client.load_collection(self._of(name), timeout=self._timeout)

    def search(self, name: str, vector: Vectors, limit: int, where: RowFilter = EVERYWHERE) -> Hits:
        wanted: Any
        if isinstance(vector, SparseRows):
            wanted, parameters = vector.row(0), {"metric_type": "IP", "params": {"drop_ratio_search": 0.0}}
        else:
            wanted, parameters = vector[0].tolist(), {"metric_type": "IP"}
        (hits,) = self._read(name, "a search failed", lambda of: self._client.search(
            of, data=[wanted], anns_field="vector", limit=limit, filter=_expression(where), output_fields=["key"],
            search_params=parameters, timeout=self._timeout, **_SETTLED,
        ))
        with self._errors("a search failed"):
            keys = [_read(hit["key"]) for hit in hits]
            scores = np.fromiter((hit["distance"] for hit in hits), np.float64, len(keys))
        return Hits(keys, scores)

    def close(self) -> None:
        self._client.close()


def _written(key: str) -> str:
    """A key as Milvus is given it: percent-encoded, since pymilvus puts keys into expressions as they are."""
    return quote(key, safe="/:,;()+=@! ", errors="surrogatepass")


def _read(key: Any) -> str:
    """The inverse of :func:`_written`."""
    return unquote(str(key), errors="surrogatepass")


def _stamped(rows: Sequence[dict[str, Any]]) -> tuple[list[str], NDArray[np.int64]]:
    return [_read(row["key"]) for row in rows], np.array([row["stamp"] for row in rows], np.int64)


def _range(low: int, high: int) -> str:
    """Parts as an expression of Milvus; all where the bounds are those of all."""
    bounds = [f"part >= {low}"] * (low > 0 or high == PARTS) + [f"part < {high}"] * (high < PARTS)
    return " and ".join(bounds)


def _expression(where: RowFilter) -> str:
    """The rows that a search looks at, as an expression of Milvus; empty for all."""
    every = where.low <= 0 and where.high >= PARTS
    groups = [] if every else [_range(where.low, where.high)]
    groups.extend(f"ARRAY_CONTAINS_ANY(filters, {[*filters, ANY_FILTER]})" for filters in where.filters)
    return " and ".join(groups)
