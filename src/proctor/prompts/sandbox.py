"""The template language of prompts: Jinja in a sandbox, with nothing a template could use up without bound."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from jinja2 import StrictUndefined, Template, nodes, pass_context
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from proctor.prompts.limits import (
    Budget,
    TooMuchError,
    bounded_join,
    bounded_replace,
    check_format,
    check_width,
    measure,
    operate,
)

__all__ = ["BUDGET", "make_environment"]

BUDGET = "\0budget"  # a name no template can write
_LEFT_OUT = ("random", "urlize", "xmlattr", "forceescape", "escape", "e")  # chance, and HTML
_WIDE = ("center", "indent", "truncate", "batch", "slice", "wordwrap", "tojson", "round")
_PADDING = frozenset({"ljust", "rjust", "center", "zfill", "expandtabs", "translate"})


class _Sandbox(ImmutableSandboxedEnvironment):
    """Counts calls, bounds operators, and takes away methods that only pad."""

    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        operate(operator, left, right)
        return super().call_binop(context, operator, left, right)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return not (isinstance(obj, (str, bytes)) and attr in _PADDING) and super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        wrapped = super().wrap_str_format(value)
        if wrapped is not None:
            check_format(value.__self__)
        return wrapped

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        __context.parent[BUDGET].spend(0)
        text, name = getattr(__obj, "__self__", None), getattr(__obj, "__name__", "")
        if isinstance(text, str) and name == "replace" and len(args) > 1:
            bounded_replace(text, str(args[0]), str(args[1]))
        elif isinstance(text, str) and name == "join" and args:
            args = (list(args[0]),)
            bounded_join(text, args[0])
        return super().call(__context, __obj, *args, **kwargs)


@pass_context
def _paid(context: Context, value: Any) -> Any:
    """Every value a template prints is paid for, wherever it prints it to."""
    context.parent[BUDGET].spend(measure(value))
    return value


@pass_context
def _counted(context: Context, items: Iterable[Any], static: int) -> Iterator[Any]:
    """Every round of a loop is paid for, with the fixed text in its body."""
    budget: Budget = context.parent[BUDGET]
    for item in items:
        budget.spend(static)
        yield item


def _as_json(value: Any, indent: int | None = None) -> str:
    """JSON as a model should read it: Jinja's own filter escapes quotes and angle brackets for HTML."""
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)


def _guarded(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that looks at the size of what it is given first."""
    hidden = 1 if hasattr(plain, "jinja_pass_arg") else 0

    @functools.wraps(plain)
    def run(*args: Any, **kwargs: Any) -> Any:
        given = args[hidden:]
        for value in given:
            if not isinstance(value, str):
                measure(value)
        if name in _WIDE:
            check_width(*given[1:], *kwargs.values())
        elif name == "replace" and len(given) > 2:
            bounded_replace(str(given[0]), str(given[1]), str(given[2]))
        elif name == "join":
            given = (list(given[0]), *given[1:])
            bounded_join(str(given[1] if len(given) > 1 else kwargs.get("d", "")), given[0])
            args = (*args[:hidden], *given)
        elif name == "format":
            check_format(str(given[0]))
        return plain(*args, **kwargs)

    return run


class _Paying(NodeTransformer):
    """Makes loops, macros and ``~`` pay: the sandbox itself sees only calls and operators."""

    def visit_For(self, node: nodes.For) -> nodes.For:
        node.iter = self._filtered(cast(nodes.Expr, node.iter), "counted", _static(node.body))
        self.generic_visit(node)
        return node

    def visit_Macro(self, node: nodes.Macro) -> nodes.Macro:
        self._pay_in_body(node)
        return node

    def visit_CallBlock(self, node: nodes.CallBlock) -> nodes.CallBlock:
        self._pay_in_body(node)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Expr:
        self.generic_visit(node)
        parts = [nodes.Filter(part, "string", [], [], None, None, lineno=node.lineno) for part in node.nodes]
        joined: nodes.Expr = parts[0]
        for part in parts[1:]:
            joined = nodes.Add(joined, part, lineno=node.lineno)
        return joined

    def _pay_in_body(self, node: nodes.Macro | nodes.CallBlock) -> None:
        self.generic_visit(node)
        charge = self._filtered(nodes.List([nodes.Const("")], lineno=node.lineno), "counted", _static(node.body))
        empty = nodes.Output([nodes.Filter(charge, "join", [], [], None, None, lineno=node.lineno)], lineno=node.lineno)
        node.body.insert(0, empty)

    @staticmethod
    def _filtered(value: nodes.Expr, name: str, static: int) -> nodes.Filter:
        size = nodes.Const(static, lineno=value.lineno)
        return nodes.Filter(value, name, [size], [], None, None, lineno=value.lineno)


def _static(body: list[nodes.Node]) -> int:
    """Characters of fixed text that one round writes; inner loops pay for their own."""
    return sum(len(data.data) for node in body for data in _data(node))


def _data(node: nodes.Node) -> Iterator[nodes.TemplateData]:
    if isinstance(node, nodes.TemplateData):
        yield node
    for child in node.iter_child_nodes():
        if not isinstance(child, nodes.For):
            yield from _data(child)


def make_environment() -> _Environment:
    """A fresh environment; it keeps no state between templates."""
    return _Environment()


class _Environment(_Sandbox):
    """The sandbox with its filters guarded and its templates made to pay."""

    def __init__(self) -> None:
        super().__init__(autoescape=False, undefined=StrictUndefined, finalize=_paid, keep_trailing_newline=True)
        for name in ("lipsum", "cycler", "joiner"):
            self.globals.pop(name, None)
        self.filters = {name: _guarded(name, plain) for name, plain in self.filters.items() if name not in _LEFT_OUT}
        self.filters["counted"] = _counted
        self.filters["tojson"] = _guarded("tojson", _as_json)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        made: nodes.Template = _Paying().visit(tree)
        return made

    def render(self, template: Template, values: dict[str, Any]) -> str:
        """The text a template makes.

        Raises:
            TooMuchError: it would use up more than it may.
        """
        values[BUDGET] = Budget()
        context = template.new_context(values)
        try:
            return "".join(template.root_render_func(context))
        except (OverflowError, MemoryError) as error:
            raise TooMuchError(f"the template asks for too much: {error}") from None
        except RecursionError:
            raise TooMuchError("the template calls itself without end") from None
