"""One page as one file: templates filled in, style and scripts inlined from their own files, data escaped."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from acidtest.reports.render.html.clean import clean, cleaned
from acidtest.reports.render.shares import percent

if TYPE_CHECKING:
    from jinja2 import Environment

_HERE = "acidtest.reports.render.html"
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def document(
    template: str, style: Sequence[str], scripts: Sequence[str], data: Mapping[str, Any], **values: Any
) -> str:
    """Return a complete page.

    Args:
        template: a file in ``templates``, which is given ``values``; every text in them is cleaned and escaped.
        style, scripts: files in ``style`` and ``script``, inlined in this order.
        data: JSON data for the scripts, which read it from the element of the id ``data``.
    """
    return (
        _environment()
        .get_template(template)
        .render(
            css=Markup("\n".join(_inlined("style", name) for name in style)),
            scripts=[Markup(_inlined("script", name)) for name in scripts],
            data=script_data(data),
            **values,
        )
    )


def script_data(data: Mapping[str, Any]) -> Markup:
    """Return data as JSON that can stand inside a script element: it cannot end it, and no text in it steers."""
    text = json.dumps(cleaned(data), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character, written in _ESCAPES.items():
        text = text.replace(character, written)
    return Markup(text)


def of(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 test``, ``2 tests``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def ticks(text: str) -> Markup:
    """Return a text as HTML, with what stands between backticks as code."""
    parts = re.split(r"`([^`]*)`", clean(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if n % 2 else escape(part) for n, part in enumerate(parts)
    )


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # only where a page is made

    environment = Environment(
        loader=PackageLoader(_HERE, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalized,
    )
    environment.filters |= {"percent": percent, "ticks": ticks, "of": of}
    return environment


def _finalized(value: Any) -> Any:
    """Return what an expression of a template puts out: text from outside is cleaned before it is escaped."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def _inlined(folder: str, name: str) -> str:
    text = resources.files(_HERE).joinpath(folder, name).read_text("utf-8")
    if "</s" in text.lower():
        raise ValueError(f"{folder}/{name}: holds '</s', which would end the element that it is put into")
    return text
