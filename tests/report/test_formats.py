from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from proctor.core.errors import InputError, StoreError
from proctor.core.report import Result
from proctor.report import html, json_file, jsonl, junit, markdown, table_csv
from proctor.report.formats import EXTENSIONS, save, writer_for
from tests.tables import table

from .conftest import Run

_ROOT = Path(__file__).parents[2]


@table(
    ("name", "module"),
    [
        ("out.json", json_file),
        ("out.jsonl", jsonl),
        ("out.html", html),
        ("out.junit.xml", junit),
        ("out.xml", junit),
        ("out.md", markdown),
        ("out.csv", table_csv),
        ("folder.csv/OUT.JSON", json_file),
        (Path("nightly.2026.html"), html),
    ],
)
def test_the_extension_names_the_writer(name: str | Path, module: object) -> None:
    assert writer_for(name) is module.write  # type: ignore[attr-defined]


@table("name", ["report.pdf", "report", "json", ".", "report.html.gz"])
def test_an_unknown_extension_lists_the_known_ones(name: str) -> None:
    with pytest.raises(InputError) as caught:
        writer_for(name)
    assert caught.value.file == name
    for extension in EXTENSIONS:
        assert extension in (caught.value.hint or "")


def test_every_extension_writes_a_file(sample: Run, tmp_path: Path) -> None:
    for extension in EXTENSIONS:
        save(sample.report, sample.results, tmp_path / f"report{extension}")
    assert len(list(tmp_path.iterdir())) == len(EXTENSIONS)
    assert all(path.stat().st_size > 500 for path in tmp_path.iterdir())


def test_nothing_heavy_is_loaded_to_find_a_writer() -> None:
    program = (
        "import sys; from proctor.report.formats import writer_for; writer_for('a.csv');"
        "print([name for name in ('rich', 'jinja2', 'proctor.report.html') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_missing_folders_are_made(empty: Run, tmp_path: Path) -> None:
    save(empty.report, empty.results, tmp_path / "a" / "b" / "out.json")
    assert json.loads((tmp_path / "a" / "b" / "out.json").read_text())["results"] == []


def test_a_link_stays_a_link(empty: Run, tmp_path: Path) -> None:
    (tmp_path / "there.json").write_text("old")
    (tmp_path / "out.json").symlink_to(tmp_path / "there.json")
    save(empty.report, empty.results, tmp_path / "out.json")
    assert (tmp_path / "out.json").is_symlink()
    assert (tmp_path / "there.json").read_text().startswith("{")


def test_the_file_has_the_permissions_of_any_new_file(empty: Run, tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    save(empty.report, empty.results, tmp_path / "out.json")
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert len(modes) == 1


def test_a_folder_is_no_file(empty: Run, tmp_path: Path) -> None:
    folder = tmp_path / "out.html"
    folder.mkdir()
    with pytest.raises(InputError, match="folder"):
        save(empty.report, empty.results, folder)


def test_a_stream_that_breaks_leaves_the_old_file(sample: Run, tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_text("old")

    def breaking() -> Iterable[Result]:
        yield next(iter(sample.results()))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save(sample.report, breaking, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_in_the_way_of_the_folder(empty: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError) as caught:
        save(empty.report, empty.results, tmp_path / "file" / "out.json")
    assert "another folder" in (caught.value.hint or "")


def test_a_folder_that_may_not_be_changed(empty: Run, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o500)
    # The superuser may write anywhere but to the kernel's own files.
    folder = Path("/proc/self") if os.geteuid() == 0 else closed
    with pytest.raises(StoreError) as caught:
        save(empty.report, empty.results, folder / "out.json")
    assert caught.value.file == str(folder / "out.json")
    assert caught.value.hint
    assert list(closed.iterdir()) == []


# A limit on the size of files is as real a refusal in the middle of writing as a full disk.
_CRAMPED = """
import resource, signal, sys
from tests.report.sample import sample_report, sample_results
from proctor.core.errors import StoreError
from proctor.report.formats import save

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
sys.dont_write_bytecode = True  # what is compiled would be cut as well, and kept
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    save(sample_report(), sample_results, sys.argv[1])
except StoreError as error:
    print(error)
"""


@pytest.mark.parametrize("name", ["out.json", "out.html"])
def test_a_disk_that_refuses_half_way_leaves_nothing(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("old")
    program = [sys.executable, "-c", _CRAMPED, str(path)]
    done = subprocess.run(program, cwd=_ROOT, capture_output=True, text=True, check=True, timeout=60)
    assert f"{path}: could not be written" in done.stdout
    assert "hint:" in done.stdout
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
