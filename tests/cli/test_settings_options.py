"""Options that are the fields of a dataclass of settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import click
import pytest
from case_tables import every_case
from click.testing import CliRunner

from porism.cli.settings_options import RenamedOption, given_settings, settings_options
from porism.settings import setting


@dataclass(frozen=True)
class Painting:
    colour: Literal["red", "blue"] = setting("red", "What is seen.")
    coats: int = setting(2, "Layers of paint.")
    thickness: float | None = setting(None, "Of a layer.", unset="by the brush")
    glossy: bool = setting(False, "Make it shine.")
    framed: bool = setting(True, "Whether it has a frame.")
    sizes: tuple[int, ...] = setting((), "Of the copies.")
    places: tuple[str, ...] | None = setting(None, "Where it hangs; repeatable.")
    prices: Mapping[str, str] | None = setting(None, "By buyer.")


@dataclass(frozen=True)
class Framing:
    coats: int = setting(1, "Of the frame.")


def run(decorators: list[Any], *arguments: str) -> dict[str, Any]:
    """What the function of a command gets."""
    got: dict[str, Any] = {}

    def paint(**values: Any) -> None:
        got.update(values)
        got["given"] = given_settings(values["settings"])

    command: Any = paint
    for decorate in reversed(decorators):
        command = decorate(command)
    result = CliRunner().invoke(click.command()(command), list(arguments), standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return got


def test_each_field_is_an_option() -> None:
    got = run(
        [settings_options(Painting)], "--colour", "blue", "--coats", "3", "--thickness", "0.5", "--glossy",
        "--no-framed", "--sizes", "10,20", "--places", "hall", "--places", "roof", "--prices", "ann=5",
    )
    assert got["settings"] == Painting("blue", 3, 0.5, True, False, (10, 20), ("hall", "roof"), {"ann": "5"})
    assert run([settings_options(Painting)])["settings"] == Painting()


def test_the_help_has_meanings_choices_and_defaults() -> None:
    command = click.command()(settings_options(Painting)(lambda settings: None))
    shown = " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    for text in (
        "--colour [red|blue] What is seen. [default: red]", "--coats N Layers of paint. [default: 2]",
        "--thickness X Of a layer. [default: (by the brush)]", "--glossy Make it shine. --framed / --no-framed",
        "--sizes N,N,… Of the copies.", "--prices NAME=VALUE By buyer.",
    ):
        assert text in shown


def test_names_that_differ_and_former_names() -> None:
    decorate = settings_options(
        Painting, names={"framed": "--framed/--bare", "coats": "-c/--layers"}, former={"coats": "--coats --coating"}
    )
    for option in ("-c", "--layers", "--coats", "--coating"):
        assert run([decorate], option, "5", "--bare")["settings"] == Painting(coats=5, framed=False)
    shown = CliRunner().invoke(click.command()(decorate(lambda settings: None)), ["--help"]).output
    assert "--coating" not in shown


def test_an_option_by_hand_can_have_former_names() -> None:
    command = click.command()(click.option("--new", cls=RenamedOption, former=["--old"])(lambda new: click.echo(new)))
    assert CliRunner().invoke(command, ["--old", "x"]).output == "x\n"


def test_an_instance_gives_the_defaults_and_omitted_fields_keep_theirs() -> None:
    usual = replace(Painting(), coats=7, glossy=True, sizes=(1,))
    assert run([settings_options(usual, omit=("colour", "glossy"))], "--sizes", "4")["settings"] == replace(
        usual, sizes=(4,)
    )
    assert run([settings_options(usual, only=("coats",))], "--coats", "1")["settings"] == replace(usual, coats=1)
    with pytest.raises(click.NoSuchOption):
        run([settings_options(usual, only=("coats",))], "--framed")


def test_settings_that_were_given_are_known() -> None:
    assert run([settings_options(Painting)], "--coats", "2", "--framed")["given"] == {"coats": 2, "framed": True}
    assert run([settings_options(Painting)])["given"] == {}


def test_an_option_of_two_dataclasses_is_one() -> None:
    got = run([settings_options(Painting), settings_options(Framing, into="framing")], "--coats", "9")
    assert (got["settings"].coats, got["framing"].coats) == (9, 9)
    by_hand = click.option("--coats", type=int, default=4)
    got = run([settings_options(Painting), by_hand], "--glossy")
    assert (got["settings"], got["coats"]) == (Painting(coats=4, glossy=True), 4)


@every_case(
    ("arguments", "message"),
    [(["--sizes", "1,x"], "list of numbers"), (["--prices", "ann"], "NAME=VALUE"), (["--colour", "green"], "green")],
)
def test_values_of_another_form_are_refused(arguments: list[str], message: str) -> None:
    with pytest.raises(click.BadParameter, match=message):
        run([settings_options(Painting)], *arguments)


def test_a_type_that_no_option_can_give_is_refused() -> None:
    @dataclass
    class Odd:
        inner: complex = setting(1j, "A number.")

    Odd.__annotations__["inner"] = complex
    with pytest.raises(TypeError, match="inner cannot be an option"):
        settings_options(Odd)(lambda settings: None)
