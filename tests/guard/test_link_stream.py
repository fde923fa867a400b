"""A link that is cut over the pieces of a stream is judged as a whole."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from proctor.wiring.guard import Guard
from tests.tables import table

ASKED = "Where is order LT-448120?"


async def streamed(folder: Path, text: str, size: int) -> str:
    (folder / "proctor.yaml").write_text("guard: {input: [], output: [links]}\n", "utf-8")

    async def pieces() -> AsyncIterator[str]:
        for at in range(0, len(text), size):
            yield text[at : at + size]

    guard = Guard.from_config(folder, record=False, reload=False)
    try:
        session = guard.session()
        await session.input(ASKED)
        return "".join([each async for each in session.stream(pieces())])
    finally:
        guard.close()


@table("size", [1, 3, 7, 1000])
@table(
    ("text", "left"),
    [
        ("It is on its way. See https://evil.example/?d=LT-448120. Bye. Bye.", "See [link removed]. Bye."),
        (
            f"Look. ![The map. {'It is long. ' * 12}](https://evil.example/a.png) Bye. Bye.",
            "Look. [image removed] Bye.",
        ),
        ('Look. <img alt="One. Two. Three." src="https://evil.example/a.png"> Bye. Bye.', "Look. [image removed] Bye."),
        ("Look. ![x][1] It is here. And there.\n\n[1]: https://evil.example/a.png\n", "It is here. And there."),
        ("See [the page](https://lantern.example/a). It is short. Bye.", "[the page](https://lantern.example/a). It"),
    ],
)
async def test_a_link_in_pieces_is_judged_whole(tmp_path: Path, text: str, left: str, size: int) -> None:
    said = await streamed(tmp_path, text, size)
    assert "evil" not in said
    assert left in said
