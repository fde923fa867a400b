"""Render a prompt with a case's inputs to messages."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from jinja2 import TemplateError, TemplateSyntaxError, UndefinedError, meta
from jinja2.exceptions import SecurityError

from proctor.core.chat import Message
from proctor.core.decode import closest
from proctor.core.errors import PromptError
from proctor.prompts.limits import TooMuchError, bear, measure
from proctor.prompts.prompt import Prompt, PromptMessage, Syntax
from proctor.prompts.sandbox import make_environment

__all__ = ["CompiledPrompt", "compile_prompt", "variables_in"]

INPUT = "input"
_PLAIN = re.compile(r"\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}")
_MARKS = ("{{", "{%", "{#")
_MAX_MARKS = 10_000
_MISSING = re.compile(r"'([^']+)' is undefined")

Writer = Callable[[dict[str, Any]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledPrompt:
    """A compiled prompt, to be rendered many times."""

    prompt: Prompt
    variables: frozenset[str]
    _writers: tuple[tuple[PromptMessage, Writer], ...] = field(repr=False)

    def render(self, inputs: Mapping[str, Any], text: str | None = None) -> tuple[Message, ...]:
        """Render the messages for one case: its ``inputs`` fill the variables, ``text`` is the user's message.

        The text fills the variable ``input``, or the only variable without a value, or the only one the case
        leaves at its default; if no variable takes it, it becomes the last user message.

        Raises:
            PromptError: a variable has no value, or the template cannot be rendered.
        """
        values = {**self.prompt.defaults, **inputs}
        if text is None and not self.variables and isinstance(inputs.get(INPUT), str):
            text = inputs[INPUT]  # a prompt without variables has one input: the user's text
        taken = text is None or self._give(values, inputs, text)
        messages = tuple(
            Message(role=message.role, content=self._write(message, writer, values))
            for message, writer in self._writers
        )
        if text is None or taken:
            return messages
        return (*messages, Message(role="user", content=text))

    def _give(self, values: dict[str, Any], inputs: Mapping[str, Any], text: str) -> bool:
        """Assign the user's text to a variable; return false if there is none for it."""
        if INPUT in self.variables:
            values[INPUT] = inputs.get(INPUT, text)
            return True
        empty = [name for name in self.variables if name not in values]
        waiting = empty or [name for name in self.variables if name not in inputs]
        if len(waiting) == 1:
            values[waiting[0]] = text
            return True
        return False

    def _write(self, message: PromptMessage, writer: Writer, values: dict[str, Any]) -> str:
        try:
            return writer(values)
        except UndefinedError as error:
            raise self._undefined(str(error.message), values) from None
        except TooMuchError as error:
            raise PromptError(str(error), file=self.prompt.path, hint="make the template simpler") from None
        except SecurityError as error:
            raise PromptError(f"not allowed in a template: {error}", file=self.prompt.path) from None
        except Exception as error:  # a template may fail in any way
            what = f"the template failed: {type(error).__name__}: {error}"
            raise PromptError(what[:500], file=self.prompt.path, line=message.line) from None

    def _undefined(self, what: str, values: Mapping[str, Any]) -> PromptError:
        match = _MISSING.match(what)
        if match is None:
            return PromptError(f"a value is missing: {what}", file=self.prompt.path, field="inputs")
        name = match.group(1)
        guess = closest(name, [key for key in values if key.isprintable()])
        hint = f"add `{name}` to the case's `inputs`" + (f" (it has `{guess}`)" if guess else "")
        return PromptError(
            f"the variable {name!r} has no value", file=self.prompt.path, field=f"inputs.{name}", hint=hint
        )


def compile_prompt(prompt: Prompt) -> CompiledPrompt:
    """Compile a prompt.

    Raises:
        PromptError: a template is not valid; the line is named.
    """
    environment = make_environment()
    names: set[str] = set()
    writers: list[tuple[PromptMessage, Writer]] = []
    for message in prompt.messages:
        names.update(variables_in(message.text, prompt.syntax, file=prompt.path, line=message.line))
        writers.append((message, _writer(message, prompt, environment)))
    return CompiledPrompt(prompt=prompt, variables=frozenset(names), _writers=tuple(writers))


def variables_in(text: str, syntax: Syntax, *, file: str | None = None, line: int = 1) -> tuple[str, ...]:
    """Return the variables that a template needs, in order of appearance.

    Raises:
        PromptError: the template is not valid; the line is named.
    """
    if syntax == "plain":
        return tuple(dict.fromkeys(_PLAIN.findall(text)))
    if not any(mark in text for mark in _MARKS):
        return ()
    with _told(text, file, line):
        environment = _reader()
        found = meta.find_undeclared_variables(environment.parse(text)) - set(environment.globals)
        named = (value for _, kind, value in environment.lex(text) if kind == "name")
        return tuple(dict.fromkeys(name for name in named if name in found))


@functools.cache
def _reader() -> Any:
    """Return an environment for parsing only; it keeps no state."""
    return make_environment()


@contextmanager
def _told(text: str, file: str | None, line: int) -> Iterator[None]:
    """Convert parse errors of a template to an error with the file and the line."""
    marks = sum(text.count(mark) for mark in _MARKS)
    if marks > _MAX_MARKS:
        what = f"the template has {marks:,} places to fill in; {_MAX_MARKS:,} is the most"
        raise PromptError(what, file=file, line=line, hint="put long data into a variable")
    try:
        yield
    except TemplateSyntaxError as error:
        raise PromptError(
            f"the template is not valid: {error.message}",
            file=file,
            line=line + error.lineno - 1,
            hint="close every {{ and {%; text that holds them goes between {% raw %} and {% endraw %}",
        ) from None
    except (TemplateError, RecursionError, SyntaxError, ValueError, MemoryError, OverflowError) as error:
        raise PromptError(f"the template is not valid: {str(error)[:200]}", file=file, line=line) from None


def _writer(message: PromptMessage, prompt: Prompt, environment: Any) -> Writer:
    text = message.text
    if prompt.syntax == "plain":
        return lambda values: _filled(text, values)
    if not any(mark in text for mark in _MARKS):
        return lambda values: text
    with _told(text, prompt.path, message.line):
        template = environment.from_string(text)
    return lambda values: environment.render(template, values)


def _filled(text: str, values: Mapping[str, Any]) -> str:
    """Fill a text in which only ``{{name}}`` is special, within the size limit."""
    length = len(text)

    def value_of(match: re.Match[str]) -> str:
        nonlocal length
        name = match.group(1)
        if name not in values:
            raise UndefinedError(f"'{name}' is undefined")
        measure(values[name])
        value = str(values[name])
        length += len(value)
        bear(length)
        return value

    return _PLAIN.sub(value_of, text)
