"""The names of what is stored of documents are those of earlier versions, whose indexes open as they are."""

from __future__ import annotations

import numpy as np
from case_tables import every_case

from porism.vectors.colbert.records import TokenRecord
from porism.vectors.dense.records import EncoderRecord
from porism.vectors.encoding_kinds import ENCODING_KINDS
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.neural.token_codec import TokenCodec
from porism.vectors.records import TextEncoding
from porism.vectors.splade.records import SparseRecord

DIGEST = "0123456789abcdef"
CODEC = TokenCodec(np.zeros((3, 8), np.float32), np.zeros(3, np.float32), np.zeros(4, np.float32), 1.0, 2.0)


@every_case(("record", "name"), [
    (EncoderRecord("n", "m", DIGEST, 8, EncoderSettings(cut="chunks"), "int8"), "dense-c02b9f5e5afecd8c"),
    (TokenRecord("n", "m", DIGEST, EncoderSettings(), "auto", None, CODEC, 77), "tokens-c9f86eb69c2114c7"),
    (SparseRecord("n", "m", DIGEST, EncoderSettings(), "auto", None, None), "splade-fb57c40120268b25"),  # type: ignore[arg-type]
])
def test_stored_names_do_not_change(record: TextEncoding, name: str) -> None:
    assert record.spec.name == name
    assert record.family == name.partition("-")[0]


@every_case("kind", ENCODING_KINDS.values(), ids=list(ENCODING_KINDS))
def test_what_rows_depend_on_is_an_option(kind) -> None:
    assert set(kind.compared) <= set(kind.option_names)
