"""Who may call the API, and how often: hashed keys, and a bucket of requests for each client."""

from __future__ import annotations

import hmac
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock

from porism.errors import ConfigError

_MAX_CLIENTS = 10_000


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key by its name and the SHA-256 of its secret (hexadecimal); the secret itself is kept nowhere."""

    name: str
    digest: str


def new_key(name: str) -> tuple[str, str]:
    """A fresh secret of 256 random bits, and the line for the file of keys."""
    secret = f"porism_{secrets.token_urlsafe(32)}"
    return secret, f"{name} {_digest(secret)}"


def read_keys(path: Path) -> tuple[ApiKey, ...]:
    """The keys of a file: a name and a SHA-256 a line; lines that begin with ``#`` are comments.

    :raises ConfigError: the file cannot be read, or a line is of another form.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("the file of API keys cannot be read", where=str(path)) from error
    keys = []
    for number, line in enumerate(lines, 1):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        if len(fields) != 2 or len(fields[1]) != 64 or set(fields[1]) - set("0123456789abcdef"):
            raise ConfigError(
                "a line is not a name and a SHA-256", where=f"{path}:{number}",
                hint="Make lines with: porism serve --new-key NAME",
            )
        keys.append(ApiKey(fields[0], fields[1]))
    return tuple(keys)


def find_key(keys: tuple[ApiKey, ...], secret: str) -> ApiKey | None:
    """The key of a secret. All keys are compared, each in constant time, so that timing tells nothing."""
    digest = _digest(secret)
    found = None
    for key in keys:
        if hmac.compare_digest(key.digest, digest):
            found = key
    return found


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class Buckets:
    """A bucket of requests for each client, which gets ``per_minute`` a minute; those of idle clients go first."""

    def __init__(self, per_minute: int) -> None:
        self.per_minute = per_minute
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def wait(self, client: str, now: float | None = None) -> float:
        """Seconds that a client must wait, 0 where its request is allowed, which takes one from its bucket."""
        if not self.per_minute:
            return 0.0
        moment = time.monotonic() if now is None else now
        rate = self.per_minute / 60
        most = max(1.0, self.per_minute / 4)
        with self._lock:
            left, last = self._buckets.pop(client, (most, moment))
            left = min(most, left + (moment - last) * rate)
            allowed = left >= 1
            self._buckets[client] = (left - 1 if allowed else left, moment)
            while len(self._buckets) > _MAX_CLIENTS:
                self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - left) / rate
