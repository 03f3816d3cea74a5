"""Makes the page of the command line from the commands: ``python docs/cli_reference.py`` writes it anew."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import click

from porism.cli import porism
from porism.cli.settings_options import RenamedOption

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"
WIDTH = 130

HEAD = """# The command line

`python docs/cli_reference.py` writes this page from the help of the commands, which `porism COMMAND --help` prints.

Errors are one line on standard error and exit with 1; wrong usage exits with 2; an interruption with 130. Without
`--index`, the environment variable `PORISM_INDEX` names the folder of the index; if it is not set, the folder is
`porism-index` in the current one.

The first command that indexes or searches compiles all kernels of indexing, searching and formula search, in as many
processes as there are cores (at most four), and reports this on standard error. Later commands load them from disk:
from the folder of the installed package or, if that is read-only, from Numba's folder in the user's cache.
`NUMBA_CACHE_DIR` names another folder. A kernel is loaded only from a file that agrees with its checksum,
belongs to you, to root or to the owner of the package, and that nobody else can write; else it is compiled again. If no
folder can be written, a warning appears and each command compiles again.
Fusion has kernels of its own, which `porism fuse` compiles first."""

MORE = {
    "index": "[Sources and updates](../how-to/update-an-index.md), [readers](readers.md), [channels](channels.md), "
             "[languages](../how-to/search-in-any-language.md), [clusters](../how-to/use-a-cluster.md)",
    "encode": "[Search by meaning](../how-to/search-by-meaning.md), "
              "[by learnt terms](../how-to/search-by-learnt-terms.md), [by tokens](../how-to/search-by-tokens.md), "
              "[settings](retrievers.md#dense-models)",
    "update": "[Sources and updates](../how-to/update-an-index.md)",
    "parse": "[Formulas](formulas.md), [notations beside LaTeX](notations.md)",
    "watch": "[Follow changes](../how-to/update-an-index.md#follow-changes)",
    "search": "[Questions](questions.md), [models](retrievers.md), [formula models](formula-models.md), "
              "[rerankers](rerankers.md#names), [several indexes](../how-to/search-several-indexes.md)",
    "serve": "[Search in a browser](../how-to/search-in-a-browser.md), [web](web.md)",
    "merge": "[Segments](../how-to/update-an-index.md#segments)",
    "expand": "[Expand documents](../how-to/expand-documents.md)",
    "export": "[Serve from Milvus](../how-to/serve-from-milvus.md)",
    "mcp": "[Use with language models](../how-to/use-with-language-models.md)",
    "train tangent-cft": "[Train embeddings](../how-to/train-embeddings.md)",
    "train formula-encoder": "[An encoder of formulas](../how-to/train-embeddings.md#an-encoder-of-formulas)",
    "train word2vec": "[Train embeddings](../how-to/train-embeddings.md)",
    "train fasttext": "[Train embeddings](../how-to/train-embeddings.md)",
    "train positional": "[Train embeddings](../how-to/train-embeddings.md)",
    "train decontextualised": "[Decontextualised embeddings](../how-to/train-embeddings.md"
                              "#decontextualised-embeddings)",
    "train tokenizer": "[Train a tokenizer](../how-to/train-a-tokenizer.md)",
    "train extended": "[A transformer with tokens of LaTeX](../how-to/train-embeddings.md"
                      "#a-transformer-with-tokens-of-latex)",
    "train pairs": "[Train an encoder](../how-to/train-an-encoder.md), [miners](training.md#miners)",
    "train encoder": "[Train an encoder](../how-to/train-an-encoder.md), [settings](training.md#encoders)",
    "train reranker": "[Re-rank](../how-to/re-rank.md), [settings](training.md#rerankers)",
    "train language-model": "[Pretrain on your texts](../how-to/train-an-encoder.md#pretrain-on-your-texts), "
                            "[settings](training.md#language-models)",
    "similarities": "[Match similar terms](../how-to/match-similar-terms.md), [similarities](similarities.md)",
    "evaluate": "[Evaluation](evaluation.md)",
    "rerank": "[Re-rank](../how-to/re-rank.md), [rerankers](rerankers.md)",
    "fuse": "[Fusion](fusion.md)",
    "aggregate": "[Pairwise scores](pairwise.md)",
    "flips": "[Flips](pairwise.md#flips)",
    "compare": "[Reports](reports.md)",
    "reproduce": "[Reproductions](../reproductions/index.md)",
    "experiment": "[Recipes](recipes.md)",
}
"""Where to read more about a command."""


def commands(group: click.Group, before: str = "") -> Iterator[tuple[str, click.Command]]:
    """All commands by their names, those of groups after them."""
    for name, command in group.commands.items():
        yield f"{before}{name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{before}{name} ")


def marked(text: str) -> str:
    """Text of help with options and quoted values as code."""
    code = r"(?<!\w)'[^']+'(?!\w)|(?<![\w-])--?[a-z][\w-]*"
    return re.sub(rf"pip install {code}|{code}", lambda match: f"`{match[0]}`", text)


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs of a help text; those that click does not wrap (``\\b``) become code."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield f"```sh\n{paragraph[2:]}\n```"
        else:
            yield wrapped(marked(" ".join(paragraph.split())))


def wrapped(text: str, indent: str = "") -> str:
    """Text in lines that are as wide as those of other pages."""
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def described(option: click.Option) -> str:
    """An option with its value, its meaning and its default."""
    value = "" if option.is_flag else f" {option.metavar or values(option.type)}"
    names = [f"`{name}{value}`" for name in option.opts]
    if option.secondary_opts:
        names = [" / ".join([*names, *(f"`{name}`" for name in option.secondary_opts)])]
    default = ""
    if isinstance(option.show_default, str):
        default = f" Default: {marked(option.show_default)}."
    elif option.show_default:
        shown = option.default
        if option.secondary_opts:
            shown = (option.opts if shown else option.secondary_opts)[0]
        default = f" Default: `{shown}`."
    text = marked(" ".join((option.help or "").split()))
    if option.multiple and "epeatable" not in text:
        text += " Repeatable."
    return wrapped(f"- {', '.join(names)}: {text}{default}", "  ")


def values(kind: click.ParamType) -> str:
    """What stands for a value of an option."""
    if isinstance(kind, click.Choice):
        return "|".join(kind.choices)
    return {"integer": "N", "integer range": "N", "float": "X", "float range": "X"}.get(kind.name, kind.name.upper())


def section(name: str, command: click.Command) -> str:
    """The heading of a command, its usage, what it does, its options, and where to read more."""
    context = click.Context(command, info_name=f"porism {name}")
    usage = " ".join(command.get_usage(context).removeprefix("Usage: ").split())
    parts = [f"{'###' if ' ' in name else '##'} porism {name}", f"`{usage}`", *paragraphs(command.help or "")]
    options = [described(parameter) for parameter in command.params if isinstance(parameter, click.Option)]
    if options:
        parts.append("\n".join(options))
    if name in MORE:
        parts.append(wrapped(f"More: {MORE[name]}."))
    return "\n\n".join(parts)


def former_names() -> str:
    """The section of the former names of options."""
    rows = [
        f"| `{name}` | `{former}` | `{option.opts[-1]}` |"
        for name, command in commands(porism) for option in command.params
        if isinstance(option, RenamedOption) for former in option.former
    ]
    head = ["## Former names of options", "", "These still work.", "", "| command | former | now |", "|---|---|---|"]
    return "\n".join(head + rows)


def page() -> str:
    """The whole page."""
    head = [paragraph if paragraph[0] == "#" else wrapped(paragraph) for paragraph in HEAD.split("\n\n")]
    return "\n\n".join([*head, *(section(name, command) for name, command in commands(porism)), former_names()]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
