"""The obedient script writes JSON that keeps what is asked of each field, and takes what liberties are left."""

from __future__ import annotations

import json

from benchmarks.obedient.search import obey

from proctor.text.predicates import parse
from tests.tables import table

HAS = 'is json object and json has "label", "summary"'
ONLY = 'json only has "label", "summary"'


def _obeyed(*predicates: str) -> str:
    found = obey([parse(each).root for each in predicates], {"input": "My parcel is late."})
    assert found.broken == ()
    return found.text.strip("`\n ")


@table(
    "fields",
    [
        ('json field "label" one of "a", "b"', 'json field "summary" words <= 20'),
        ('json field "label" is integer', 'json field "summary" language is en'),
        ('json field "label" (is iso date or is "null")',),
        ('json field "summary" json array length between 2 and 3',),
        ('json field "label" one of "a", "b" or json has "error"',),
    ],
)
def test_it_keeps_the_keys_and_what_is_asked_of_each(fields: tuple[str, ...]) -> None:
    assert {"label", "summary"} <= set(json.loads(_obeyed(HAS, *fields)))


def test_it_adds_a_key_only_where_none_is_forbidden() -> None:
    assert set(json.loads(_obeyed(HAS))) > {"label", "summary"}
    assert set(json.loads(_obeyed(f"{HAS} and {ONLY}"))) == {"label", "summary"}


def test_an_address_stands_there_until_a_rule_forbids_it() -> None:
    assert "@" in _obeyed(HAS)
    assert "@" not in _obeyed(HAS, r"not (matches /[\w.+-]+@[\w-]+/)")


def test_arrays_lists_and_what_stands_about_a_mark() -> None:
    items = json.loads(_obeyed("is json array of strings and json array length = 4", "each json item: words <= 7"))
    assert len(items) == 4
    assert _obeyed("bullets between 3 and 6", "each item: words <= 14").count("- ") >= 3
    assert _obeyed('before ":" is number and after ":" sentences = 1', "number between 1 and 10").startswith("10:")
