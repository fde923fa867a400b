"""The template language of prompts: Jinja in a sandbox with bounded resources."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, cast

from jinja2 import StrictUndefined, Template, nodes, pass_context
from jinja2.exceptions import TemplateSyntaxError
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from proctor.prompts.format_limits import check_braces, check_percent
from proctor.prompts.limits import RenderBudget, TooMuchError, bear, measure, operate, size
from proctor.prompts.template_filters import BUDGET, guarded_filters, guarded_tests

__all__ = ["make_environment"]

# Filters for our own nodes only: a template cannot contain a name with a zero character.
_COUNTED = "\0counted"
_CHARGE = "\0charge"
_SIZED = "\0sized"

_TEXT_METHODS = """
    capitalize casefold count endswith find format format_map index isalnum isalpha isascii isdecimal isdigit
    isidentifier islower isnumeric isprintable isspace istitle isupper join lower lstrip partition removeprefix
    removesuffix replace rfind rindex rpartition rsplit rstrip split splitlines startswith strip swapcase title upper
"""
_LIST: Final = frozenset({"copy", "count", "index"})
# Methods that make much out of little (padding, `encode`, `int.to_bytes`) are left out.
_METHODS: Final[Mapping[type, frozenset[str]]] = {
    str: frozenset(_TEXT_METHODS.split()),
    bytes: frozenset(),
    list: _LIST,
    tuple: _LIST,
    dict: frozenset({"copy", "get", "items", "keys", "values"}),
    int: frozenset(),
    float: frozenset({"is_integer"}),
    range: frozenset({"count", "index", "start", "step", "stop"}),
}


class _Sandbox(ImmutableSandboxedEnvironment):
    """Charges calls and operators, and allows only listed methods of plain values."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "**", "%"})

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "%" and isinstance(left, str):
            check_percent(left, right)
        operate(operator, left, right)
        made = super().call_binop(context, operator, left, right)
        context.parent[BUDGET].spend(work=size(made))
        return made

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        for kind, methods in _METHODS.items():
            if isinstance(obj, kind):
                return attr in methods or attr in getattr(obj, "_fields", ())  # the fields of a `groupby` group
        return super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        wrapped = super().wrap_str_format(value)
        if wrapped is None:
            return None
        text: str = value.__self__
        fill = wrapped

        def run(*args: Any, **named: Any) -> str:
            check_braces(text, (*args, *named.values()))
            return fill(*args, **named)

        return functools.update_wrapper(run, value)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:
        budget: RenderBudget = __context.parent[BUDGET]
        if isinstance(__obj, LoopContext):  # a recursive loop runs once more for each item
            args = (_items(budget, args[0]), *args[1:]) if args else args
        else:
            args = tuple(budget.each(each) if isinstance(each, Iterator) else each for each in args)
            budget.spend(work=sum(measure(each) for each in (*args, *kwargs.values())))
        text, name = getattr(__obj, "__self__", None), getattr(__obj, "__name__", "")
        if isinstance(text, str) and name == "replace" and len(args) > 1:
            _check_replace(text, str(args[0]), str(args[1]))
        elif isinstance(text, str) and name == "join" and args:
            args = (list(args[0]),)
            bear(measure(args[0]) + len(text) * len(args[0]))
        return budget.paid(super().call(__context, __obj, *args, **kwargs))


def _check_replace(text: str, old: str, new: str) -> None:
    bear(len(text) + (text.count(old) if old else len(text) + 1) * len(new))


def _items(budget: RenderBudget, items: Iterable[Any]) -> Iterator[Any]:
    for item in items:
        budget.spend()
        yield item


@pass_context
def _paid(context: Context, value: Any) -> Any:
    """Charge every value that a template prints, wherever it prints it to."""
    context.parent[BUDGET].spend(measure(value))
    return value


@pass_context
def _counted(context: Context, items: Iterable[Any]) -> Iterator[Any]:
    """Charge every iteration of a loop, including those its `if` skips."""
    return _items(context.parent[BUDGET], items)


@pass_context
def _charge(context: Context, static: int) -> str:
    """Charge the fixed text in the body of a loop or macro at each execution."""
    context.parent[BUDGET].spend(static)
    return ""


@pass_context
def _sized(context: Context, value: Any) -> Any:
    """Charge a value that is compared or looked up: nested lists could take unbounded time."""
    if isinstance(value, (list, tuple, Mapping)):
        context.parent[BUDGET].spend(work=measure(value))
    elif isinstance(value, str) and len(value) > 1_000:
        context.parent[BUDGET].spend(work=len(value))
    return value


class _Paying(NodeTransformer):
    """Makes loops, macros, comparisons and ``~`` charge: the sandbox itself sees only calls and operators."""

    def visit_For(self, node: nodes.For) -> nodes.For:
        static = _static(node.body)
        node.iter = _filtered(cast(nodes.Expr, node.iter), _COUNTED)
        self.generic_visit(node)
        # In the body and not in the list of items: a recursive loop has other items.
        node.body.insert(0, _charging(static, node.lineno))
        return node

    def visit_Macro(self, node: nodes.Macro) -> nodes.Macro:
        self._pay_in_body(node)
        return node

    def visit_CallBlock(self, node: nodes.CallBlock) -> nodes.CallBlock:
        self._pay_in_body(node)
        return node

    def visit_Block(self, node: nodes.Block) -> nodes.Block:
        self._pay_in_body(node)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Expr:
        self.generic_visit(node)
        parts = [_filtered(part, "string") for part in node.nodes]
        joined: nodes.Expr = parts[0]
        for part in parts[1:]:
            joined = nodes.Add(joined, part, lineno=node.lineno)
        return joined

    def visit_Compare(self, node: nodes.Compare) -> nodes.Compare:
        self.generic_visit(node)
        node.expr = _filtered(node.expr, _SIZED)
        for operand in node.ops:
            operand.expr = _filtered(operand.expr, _SIZED)
        return node

    def visit_Dict(self, node: nodes.Dict) -> nodes.Dict:
        self.generic_visit(node)
        for pair in node.items:
            pair.key = _filtered(pair.key, _SIZED)
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Getitem:
        self.generic_visit(node)
        if not isinstance(node.arg, (nodes.Const, nodes.Slice)):
            node.arg = _filtered(node.arg, _SIZED)
        return node

    def visit_ScopedEvalContextModifier(self, node: nodes.ScopedEvalContextModifier) -> nodes.Node:
        raise TemplateSyntaxError("`autoescape` is not for prompts", node.lineno)

    def _pay_in_body(self, node: nodes.Macro | nodes.CallBlock | nodes.Block) -> None:
        static = _static(node.body)
        self.generic_visit(node)
        node.body.insert(0, _charging(static, node.lineno))


def _filtered(value: nodes.Expr, name: str) -> nodes.Filter:
    return nodes.Filter(value, name, [], [], None, None, lineno=value.lineno)


def _charging(static: int, line: int) -> nodes.Output:
    return nodes.Output([_filtered(nodes.Const(static, lineno=line), _CHARGE)], lineno=line)


def _static(body: list[nodes.Node]) -> int:
    """Return the characters of fixed text in one iteration; inner loops charge their own."""
    return sum(len(data.data) for node in body for data in _data(node))


def _data(node: nodes.Node) -> Iterator[nodes.TemplateData]:
    if isinstance(node, nodes.TemplateData):
        yield node
    for child in node.iter_child_nodes():
        if not isinstance(child, nodes.For):
            yield from _data(child)


def make_environment() -> _Environment:
    """Return a new environment; it keeps no state between templates."""
    return _Environment()


class _Environment(_Sandbox):
    """The sandbox with guarded filters and charging templates."""

    def __init__(self) -> None:
        super().__init__(autoescape=False, undefined=StrictUndefined, finalize=_paid, keep_trailing_newline=True)
        self.globals = {name: self.globals[name] for name in ("range", "dict", "namespace")}
        own: dict[str, Any] = {_COUNTED: _counted, _CHARGE: _charge, _SIZED: _sized}
        self.filters = {**guarded_filters(), **own}
        self.tests = guarded_tests()

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        made: nodes.Template = _Paying().visit(tree)
        return made

    def render(self, template: Template, values: dict[str, Any]) -> str:
        """Render a template.

        Raises:
            TooMuchError: it would exceed its limits.
        """
        values[BUDGET] = RenderBudget()
        context = template.new_context(values)
        try:
            return "".join(template.root_render_func(context))
        except (OverflowError, MemoryError) as error:
            raise TooMuchError(f"the template asks for too much: {error}") from None
        except RecursionError:
            raise TooMuchError("the template calls itself without end") from None
