from __future__ import annotations

import random

from tests.tables import table

from proctor.store import guard_secrets
from proctor.text import redact
from proctor.text.secret_forms import MASK

PARTS = (
    "sk-",
    "sk_abcdefgh12",
    "Bearer abcdef",
    "BASIC  qwerty==",
    "ba\u017fic abcd1234",
    "http://u:p@h",
    "://",
    "@",
    ":",
    "=",
    "api_key",
    "to\u212aen: abc",
    "\u017fecret: hello",
    "p\u0131n: 1234",
    "P\u0130N=999",
    "password",
    "AKIAABCDEFGHIJKLMNOP",
    "xoxb-123456",
    "ghp_1234567890ab",
    "github_pat_abcdefghij",
    "hf-abcdefghijk",
    "eyJabcdefgh12.abcd.x",
    " ",
    "\n",
    "返金",
    "hello",
    "key",
    "access.key: v",
    "X-Auth-Token: abc",
    '"secret": "v v"',
)


@table("seed", range(4))
def test_a_pattern_that_is_not_tried_would_not_have_matched(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(2_000):
        text = "".join(dice.choice(PARTS) + dice.choice(["", " "]) for _ in range(dice.randint(1, 6)))
        tried = redact._SCHEME.sub(rf"\1\2{MASK}", text)
        tried = redact._LOGIN_IN_URL.sub(f"{MASK}@", tried)
        assert redact.redact(text) == redact._LOOKS_LIKE_A_KEY.sub(MASK, tried)
        named = guard_secrets._NAMED.sub(lambda hit: f"{hit['name']}{hit['sign']}{MASK}", text)
        assert guard_secrets.mask_named(text) == named
