"""The filters and tests of templates: those with a cost bounded by their input, and checks for the others."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from jinja2 import Undefined, pass_context
from jinja2.filters import FILTERS
from jinja2.runtime import Context
from jinja2.tests import TESTS

from proctor.prompts.format_limits import check_percent, check_width
from proctor.prompts.limits import ITEM, RenderBudget, TooMuchError, bear, measure, operate

__all__ = ["BUDGET", "guarded_filters", "guarded_tests"]

BUDGET = "\0budget"  # no template can contain this name
# Left out are `random`, and filters that make HTML: escape, e, forceescape, urlize, xmlattr.
_ALLOWED: Final = """
    abs attr batch capitalize center count d default dictsort filesizeformat first float format groupby indent int items
    join last length list lower map max min pprint reject rejectattr replace reverse round safe select selectattr slice
    sort string striptags sum title tojson trim truncate unique upper urlencode wordcount wordwrap
"""
_MAX_SLOW_CHARS = 20_000  # for filters with quadratic run time
_MAX_DIGITS = 4_000
_MAX_JSON_DEPTH = 100
_MAX_JSON_INDENT = 16
_MAX_ENCODED_CHARS = 12  # that one character becomes in a URL


def guarded_filters() -> dict[str, Any]:
    """Return the filters that templates may use, each with its checks."""
    plain: dict[str, Any] = {name: FILTERS[name] for name in _ALLOWED.split()}
    plain |= {"tojson": _as_json, "sum": _sum}
    return {name: _guarded(each, _CHECKS.get(name)) for name, each in plain.items()}


def guarded_tests() -> dict[str, Any]:
    """Return Jinja's tests; each is charged, because the cost of comparing grows with the size."""
    plain: dict[str, Any] = dict(TESTS)
    return {name: _guarded(each, None) for name, each in plain.items()}


def _guarded(plain: Callable[..., Any], check: Callable[..., None] | None) -> Callable[..., Any]:
    """Wrap a filter so that it is charged and its arguments are checked first."""
    # Jinja passes a filter the context, a part of it, or nothing; ours always gets the context, for its budget.
    wants = getattr(getattr(plain, "jinja_pass_arg", None), "name", None)

    @pass_context
    @functools.wraps(plain, updated=())
    def run(context: Context, *args: Any, **named: Any) -> Any:
        budget: RenderBudget = context.parent[BUDGET]
        given = tuple(budget.each(each) if isinstance(each, Iterator) else each for each in args)
        work = sum(measure(each) for each in (*given, *named.values()) if not isinstance(each, Undefined))
        budget.spend(work=work + sum(ITEM * len(each) for each in given if isinstance(each, range)))
        if check is not None:
            if given and isinstance(given[0], Iterator):
                given = (list(given[0]), *given[1:])  # an iterator cannot be measured
            check(*given, **named)
        hidden = {"context": (context,), "eval_context": (context.eval_ctx,), "environment": (context.environment,)}
        return budget.paid(plain(*hidden.get(wants or "", ()), *given, **named))

    return run


def _as_json(value: Any, indent: int | None = None) -> str:
    """Return JSON for a model: Jinja's own filter escapes quotes and angle brackets for HTML."""
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)


@pass_context
def _sum(context: Context, iterable: Any, attribute: Any = None, start: Any = 0) -> Any:
    """Sum numbers; lists and texts are rejected, because each addition copies the previous sum."""
    if attribute is not None:
        iterable = context.environment.call_filter("map", iterable, kwargs={"attribute": attribute}, context=context)
    total = start
    for item in iterable:
        if not isinstance(total, (int, float)) or not isinstance(item, (int, float)):
            raise TooMuchError("only numbers can be summed: join texts with `join`")
        operate("+", total, item)
        total += item
    return total


# --- Checks: each has the arguments of its filter. ------------------------------------------------------


def _width(value: Any, width: Any = 80) -> None:
    check_width(width)


def _count(value: Any, count: Any, fill_with: Any = None) -> None:
    check_width(count)
    bear(measure(fill_with) * count if isinstance(count, int) else 0)


def _indent(s: Any, width: Any = 4, first: bool = False, blank: bool = False) -> None:
    check_width(width)
    text = str(s)
    bear(len(text) + (len(text.splitlines()) + 1) * (len(width) if isinstance(width, str) else int(width)))


def _wordwrap(
    s: Any,
    width: Any = 79,
    break_long_words: bool = True,
    wrapstring: str | None = None,
    break_on_hyphens: bool = True,
) -> None:
    check_width(width)
    text = str(s)
    _slow(text, "wordwrap")
    breaks = 2 * len(text) // max(int(width), 1) + len(text.splitlines()) + text.count(" ") + text.count("-") + 1
    bear(len(text) + breaks * len(wrapstring or "\n"))


def _replace(s: Any, old: Any, new: Any, count: Any = None) -> None:
    text, old, new = str(s), str(old), str(new)
    bear(len(text) + (text.count(old) if old else len(text) + 1) * len(new))


def _join(value: Any, d: Any = "", attribute: Any = None) -> None:
    count = len(value) if hasattr(value, "__len__") else 0
    bear(measure(value) + measure(d) * count)


def _format(value: Any, *args: Any, **named: Any) -> None:
    check_percent(str(value), named or args)


def _json(value: Any, indent: Any = None) -> None:
    if indent is None:
        return
    if not isinstance(indent, int) or not 0 <= indent <= _MAX_JSON_INDENT:
        raise TooMuchError(f"`tojson` indents by a number from 0 to {_MAX_JSON_INDENT}")
    total = 0
    waiting: list[tuple[Any, int]] = [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        if depth > _MAX_JSON_DEPTH:
            raise TooMuchError(f"the template prints data nested deeper than {_MAX_JSON_DEPTH} levels")
        inner = list(item.values()) if isinstance(item, Mapping) else item if isinstance(item, (list, tuple)) else ()
        total += (len(inner) + 1) * (depth * indent + 2)
        bear(total + len(waiting) + len(inner))
        waiting.extend((each, depth + 1) for each in inner)
    bear(total + measure(value))


def _int(value: Any, default: Any = 0, base: Any = 10) -> None:
    if isinstance(value, str) and len(value) > _MAX_DIGITS:
        raise TooMuchError(f"the template reads a number of more than {_MAX_DIGITS:,} digits")


def _urlencode(value: Any) -> None:
    bear(measure(value) * _MAX_ENCODED_CHARS)


def _striptags(value: Any) -> None:
    _slow(str(value), "striptags")


def _pprint(value: Any) -> None:
    if measure(value) > _MAX_SLOW_CHARS:
        raise TooMuchError(f"`pprint` takes at most {_MAX_SLOW_CHARS:,} characters: use `tojson`")


def _slow(text: str, name: str) -> None:
    if len(text) > _MAX_SLOW_CHARS:
        raise TooMuchError(f"`{name}` takes at most {_MAX_SLOW_CHARS:,} characters")


_CHECKS: Final[Mapping[str, Callable[..., None]]] = {
    "batch": _count,
    "center": _width,
    "format": _format,
    "indent": _indent,
    "int": _int,
    "join": _join,
    "pprint": _pprint,
    "replace": _replace,
    "round": lambda value, precision=0, method="common": check_width(precision),
    "slice": _count,
    "striptags": _striptags,
    "tojson": _json,
    "urlencode": _urlencode,
    "wordwrap": _wordwrap,
}
