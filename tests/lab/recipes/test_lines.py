"""Lines of settings in TOML texts: against tomllib, which says what there is, and a writer that knows the lines."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import examples

from porism.lab.recipes.lines import line_numbers, line_of


def paths(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The paths of all keys and all entries of lists."""
    entries: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        entries = list(value.items())
    elif isinstance(value, list):
        entries = list(enumerate(value))
    return [path for key, inner in entries for path in [(*at, key), *paths(inner, (*at, key))]]


def test_lines_of_every_form() -> None:
    text = '''a = 1 # x = 2
b.c = [1, # [
 "]", {x = 1, "y.z" = 2}]
[t]
s = """
 k = 1 \\"""
 """""
z = 'a#b'
[[arr]]
q = 1
[[arr]] # again
[arr.sub]
r = 2
[[arr.deep]]
[[arr.deep]]
"w\\u00e4" = 1979-05-27 07:32:00
[u.v]
[u]
m = {n.o = \'\'\'
\'\'\'\'\', p = [
  # a comment with ]
  []
]}
'''
    assert line_numbers(text) == {
        ("a",): 1, ("b",): 2, ("b", "c"): 2, ("b", "c", 0): 2, ("b", "c", 1): 3, ("b", "c", 2): 3,
        ("b", "c", 2, "x"): 3, ("b", "c", 2, "y.z"): 3, ("t",): 4, ("t", "s"): 5, ("t", "z"): 8, ("arr",): 9,
        ("arr", 0): 9, ("arr", 0, "q"): 10, ("arr", 1): 11, ("arr", 1, "sub"): 12, ("arr", 1, "sub", "r"): 13,
        ("arr", 1, "deep"): 14, ("arr", 1, "deep", 0): 14, ("arr", 1, "deep", 1): 15,
        ("arr", 1, "deep", 1, "wä"): 16, ("u",): 18, ("u", "v"): 17, ("u", "m"): 19, ("u", "m", "n"): 19,
        ("u", "m", "n", "o"): 19, ("u", "m", "p"): 20, ("u", "m", "p", 0): 22,
    }
    assert set(paths(tomllib.loads(text))) == set(line_numbers(text))
    assert line_numbers(text.replace("\n", "\r\n")) == line_numbers(text)


def test_the_line_of_what_is_missing_is_that_of_the_table_around_it() -> None:
    lines = line_numbers("x = 1\n[a.b]\nc = 2\n")
    assert line_of(lines, ("a", "b", "c")) == 3
    assert line_of(lines, ("a", "b", "d", 0)) == 2
    assert line_of(lines, ("z",)) is None
    assert line_of(lines, ()) is None


KEYS = st.one_of(st.sampled_from(["a", "b", "k-1", "x_y", "7", "α", "two words", "dot.ted", 'q"uote', "", "#", "]"]))
SCALARS = st.one_of(
    st.integers(-9, 9), st.booleans(), st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6),
    st.sampled_from(["# not a comment", "]", "a\nb", "'''", '"""', "x = 1\n[y]\n", '""', "''", "\\"]),
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=12,
)


class Writer:
    """Writes a table as TOML in forms that are drawn, and remembers where each setting went."""

    def __init__(self, draw: Any) -> None:
        self.draw, self.text = draw, ""
        self.lines: dict[tuple[str | int, ...], int] = {}

    def choose(self, *choices: str) -> str:
        return str(self.draw(st.sampled_from(choices)))

    def mark(self, path: tuple[str | int, ...], first: bool = False) -> None:
        line = self.text.count("\n") + 1
        if first:
            self.lines.setdefault(path, line)
        else:
            self.lines[path] = line

    def key(self, name: str) -> str:
        bare = name != "" and all(ch.isascii() and (ch.isalnum() or ch in "-_") for ch in name)
        forms = [json.dumps(name)]
        forms += [name, name] if bare else []
        forms += [f"'{name}'"] if "'" not in name else []
        return self.choose(*forms)

    def string(self, value: str) -> str:
        forms = [json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")]
        if "'''" not in value and not value.endswith("'"):
            forms.append(f"'''\n{value}'''")
        if "'" not in value and "\n" not in value:
            forms.append(f"'{value}'")
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        forms += [f'"""{escaped}"""', f'"""\n{escaped}"""']
        if value.endswith('""') and '"""' not in value and "\\" not in value:
            forms.append(f'"""\n{value}"""')
        return self.choose(*forms)

    def value(self, value: Any, path: tuple[str | int, ...]) -> None:
        if isinstance(value, str):
            self.text += self.string(value)
        elif isinstance(value, bool):
            self.text += "true" if value else "false"
        elif isinstance(value, list):
            self.text += "["
            for number, entry in enumerate(value):
                self.text += self.choose("", " ", "\n", " # ] }\n ")
                self.mark((*path, number))
                self.value(entry, (*path, number))
                self.text += self.choose("", "\n") + ("," if number < len(value) - 1 else self.choose("", ","))
            self.text += self.choose("", "\n", " # [\n") + "]"
        elif isinstance(value, dict):
            self.text += "{"
            for number, (name, entry) in enumerate(value.items()):
                self.text += ", " if number else " "
                self.mark((*path, name))
                self.text += f"{self.key(name)} = "
                self.value(entry, (*path, name))
            self.text += " }"
        else:
            self.text += repr(value)

    def table(self, table: dict[str, Any], path: tuple[str | int, ...], header: list[str]) -> None:
        tables = {
            name: entry for name, entry in table.items() if isinstance(entry, dict) and self.choose("i", "t") == "t"
        }
        arrays = {
            name: entry for name, entry in table.items()
            if isinstance(entry, list) and entry and all(isinstance(one, dict) for one in entry)
            and self.choose("i", "t") == "t"
        }
        for name, entry in table.items():
            if name in tables or name in arrays:
                continue
            self.text += self.choose("", "\n", "# a = 1\n")
            if isinstance(entry, dict) and entry and self.choose("i", "d") == "d":  # dotted keys
                for inner, value in entry.items():
                    self.mark((*path, name), first=True)
                    self.mark((*path, name, inner))
                    self.text += f"{self.key(name)}{self.choose('.', ' . ')}{self.key(inner)} = "
                    self.value(value, (*path, name, inner))
                    self.text += "\n"
                continue
            self.mark((*path, name))
            self.text += f"{self.key(name)}{self.choose('=', ' = ')}"
            self.value(entry, (*path, name))
            self.text += self.choose("\n", " # [x]\n")
        for name, entry in tables.items():
            self.text += self.choose("", "\n")
            self.mark((*path, name))
            names = [*header, self.key(name)]
            self.text += f"[{self.choose('.', ' . ').join(names)}]\n"
            self.table(entry, (*path, name), names)
        for name, entries in arrays.items():
            names = [*header, self.key(name)]
            for number, entry in enumerate(entries):
                self.mark((*path, name), first=True)
                self.mark((*path, name, number))
                self.text += f"[[{'.'.join(names)}]]\n"
                self.table(entry, (*path, name, number), names)


@settings(max_examples=examples(300), deadline=None)
@given(st.dictionaries(KEYS, VALUES, max_size=4), st.data())
def test_written_tables_are_found_where_they_were_written(table: dict[str, Any], data: st.DataObject) -> None:
    writer = Writer(data.draw)
    writer.table(table, (), [])
    assert tomllib.loads(writer.text) == table
    assert line_numbers(writer.text) == writer.lines
    assert set(writer.lines) == set(paths(table))


FRAGMENTS = st.lists(
    st.sampled_from([
        "a", "b", ".", "=", " ", "\n", "[", "]", "[[", "]]", "{", "}", ",", '"', "'", '"""', "'''", "#", "1", "\\",
        "a = 1\n", "[t]\n", "[[t]]\n", "x.y = [1,\n2]\n", "\r\n", "é", "\\n", "1979-05-27 07:32:00", "q = {a = 1}\n",
    ]),
    max_size=25,
).map("".join)


@settings(max_examples=examples(500), deadline=None)
@given(FRAGMENTS)
def test_any_text_is_survived_and_all_that_tomllib_reads_is_found(text: str) -> None:
    lines = line_numbers(text)
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert set(paths(read)) == set(lines)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())


def test_deep_nesting_and_long_strings_end() -> None:
    assert line_numbers("a = " + "[" * 100_000)[("a",)] == 1
    assert line_numbers("a = '''" + "''b" * 50_000 + "'''\nc = 1\n")[("c",)] == 2
    assert line_numbers('a = """' + '\\"' * 50_000 + '"""\nc = 1\n')[("c",)] == 2
