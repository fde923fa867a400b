from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from proctor import registry
from proctor.wiring import scorer_hash as hashing
from proctor.wiring.scorer_hash import scorer_hash

SCORER = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Mine:
    limit: int = 1

def late():
    from {package}.inner.deep import WORD
    return WORD
"""


def make(folder: Path, package: str, word: str = "one", data: str = "a") -> str:
    """The hash of a scorer whose word list is two modules away."""
    for name, text in {
        "__init__.py": "",
        "scorer.py": SCORER.format(package=package),
        "inner/__init__.py": "",
        "inner/deep.py": "from . import words\nWORD = words.WORD\nLIST = 'list.txt'\n",
        "inner/words.py": f"WORD = {word!r}\n",
        "inner/list.txt": data,
        "inner/unused.txt": data,
        "unrelated.py": f"OTHER = {word!r}\n",
    }.items():
        path = folder / package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    # A process of its own: a module is read once in each.
    lines = [
        f"from {package}.scorer import Mine",
        "from proctor.wiring.scorer_hash import scorer_hash",
        "print(scorer_hash(Mine))",
    ]
    code = "\n".join(lines)
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_module_that_a_scorer_uses_through_others_changes_its_hash_and_another_does_not(tmp_path: Path) -> None:
    first = make(tmp_path, "hashed")
    assert make(tmp_path, "hashed") == first
    assert make(tmp_path, "hashed", word="two") != first
    assert make(tmp_path, "hashed", data="b") != first
    assert make(tmp_path, "hashed") == first
    (tmp_path / "hashed/unrelated.py").write_text("OTHER = 3\n")
    assert make(tmp_path, "hashed") == first


def test_every_scorer_has_a_hash_and_those_of_one_module_chain_share_what_they_use() -> None:
    names = registry.names("scorers")
    hashes = {name: scorer_hash(registry.load("scorers", name)) for name in names}
    assert len(set(hashes.values())) == len(names)
    used = hashing._closure({"proctor.scorers.conversation.conversation"})
    assert not any(
        name.startswith(("proctor.cli", "proctor.store", "proctor.wiring", "proctor.workflows")) for name in used
    )


@pytest.mark.parametrize("name", ["conversation", "outcome"])
def test_the_scorers_that_are_loaded_by_their_names_are_part_of_the_hash(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = registry.load("scorers", name)
    assert {"commitments", "permissions", "solved"} <= set(kind.loads)
    hashing._scorer_hash.cache_clear()
    before = scorer_hash(kind)
    hashing._scorer_hash.cache_clear()
    real = hashing._digest
    monkeypatch.setattr(hashing, "_digest", lambda path: "edited" if path.name == "commitments.py" else real(path))
    hashing._contents.cache_clear()
    assert scorer_hash(kind) != before
    hashing._scorer_hash.cache_clear()
    hashing._contents.cache_clear()


def test_the_weights_of_local_models_are_part_of_a_scorer_that_asks_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def fresh() -> tuple[str, str]:
        for each in (hashing._scorer_hash, hashing._read, hashing._digest, hashing._contents, hashing._imports):
            each.cache_clear()
        return tuple(scorer_hash(registry.load("scorers", name)) for name in ("quality", "contains"))  # type: ignore[return-value]

    before = fresh()
    read = Path.read_bytes

    def other(self: Path) -> bytes:
        return read(self) + (b" " if self.name == "manifest.json" else b"")

    monkeypatch.setattr(Path, "read_bytes", other)
    after = fresh()
    monkeypatch.undo()
    assert after[0] != before[0]
    assert after[1] == before[1]
    assert fresh() == before


def test_a_checkout_with_other_line_ends_is_the_same_code(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"a = 1\nb = 2\n")
    first = hashing._digest(path)
    other = tmp_path / "b.py"
    other.write_bytes(b"a = 1\r\nb = 2\r\n")
    assert hashing._digest(other) == first


def test_the_concepts_of_the_lexicon_that_a_scorer_uses_are_part_of_its_hash() -> None:
    used = dict(hashing._contents(frozenset(hashing._closure({"proctor.scorers.safety.commitments"}))))
    named = {name.removeprefix("proctor.lexicon/") for name in used if name.startswith("proctor.lexicon/")}
    assert {"promise_refund.yaml", "left_open.yaml", "reassurance.yaml", "fragments/promises.yaml"} <= named
    assert "self_harm.yaml" not in named
