"""proctor audit, as its users call it: two raters, one of them at a real terminal."""

from __future__ import annotations

import csv
import json
import os
import pty
import select
import sqlite3
import subprocess
import termios
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import PROGRAM, Project
from tests.monitor.audit_traffic import monday, traffic, write_log

NAMES = ("correctness", "completeness", "tone", "efficiency")


@pytest.fixture
def sampled(project: Project) -> Project:
    write_log(project.folder / "events.jsonl", traffic(monday(), 7, per_day=12))
    project.run("audit", "sample", "events.jsonl", "--week", "2026-W40", "--size", "30", code=0)
    return project


def items(project: Project) -> list[dict[str, str]]:
    project.run("audit", "export", "items.csv", "--what", "items", code=0)
    with (project.folder / "items.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def rate_all(project: Project, rater: str, *, shift: int = 0, change: int = 5) -> None:
    """Rate every item; each ``change``-th differs by ``shift``."""
    lines = []
    for place, item in enumerate(items(project)):
        value = (5 if item["outcome"] == "solved" else 2) - (shift if place % change == 0 else 0)
        lines.append(json.dumps({"item": item["item"], "rater": rater, **dict.fromkeys(NAMES, max(1, value))}))
    project.write(f"{rater}.jsonl", "\n".join(lines))
    project.run("audit", "rate", "--import", f"{rater}.jsonl", code=0)


def test_a_sample_says_its_chances_and_is_drawn_once(sampled: Project) -> None:
    again = sampled.run("audit", "sample", "events.jsonl", "--week", "2026-W40", code=2)
    assert "has its sample already" in again.stderr
    replaced = sampled.run(
        "audit", "sample", "events.jsonl", "--week", "2026-W40", "--size", "20", "--replace", "--json", code=0
    )
    assert sum(each["drawn"] for each in json.loads(replaced.stdout)["strata"]) == 20
    rows = items(sampled)
    assert len(rows) == 20
    assert all(float(row["weight"]) * float(row["probability"]) == pytest.approx(1) for row in rows)
    assert "2026-W40\t84\t20\t0\t0\t0" in sampled.run("audit", "list", code=0).stdout


def test_a_damaged_page_of_the_database_is_an_error_with_a_hint(sampled: Project) -> None:
    path = sampled.folder / ".proctor" / "audit.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    head = path.read_bytes()[:4096]
    path.write_bytes(head + b"\xff" * (path.stat().st_size - len(head)))
    failed = sampled.run("audit", "list", code=3)
    assert "a database of the store failed: database disk image is malformed" in failed.stderr
    assert "hint:" in failed.stderr


def test_two_raters_agreement_quality_and_judge(sampled: Project) -> None:
    rate_all(sampled, "ann")
    rate_all(sampled, "bob", shift=3)
    done = sampled.run("audit", "agree", "-o", "a.html", "-o", "a.csv", "-o", "a.md", "-o", "a.json", code=0)
    assert "Agreement of raters" in done.stdout
    assert "judge v1" in done.stdout
    data = json.loads((sampled.folder / "a.json").read_text())
    assert data["agreement"][0]["kappa"]["low"] < data["agreement"][0]["kappa"]["value"]
    assert data["quality"][0]["share"]["value"] is not None
    assert "kappa" in (sampled.folder / "a.csv").read_text()
    assert "<table>" in (sampled.folder / "a.html").read_text()
    sampled.run("audit", "agree", "--at-least", "0.1", code=0)
    assert "under 0.99" in sampled.run("audit", "agree", "--at-least", "0.99", code=1).stderr
    undecided = sampled.run(
        "audit", "agree", "--at-least", str(round(data["agreement"][0]["kappa"]["value"], 2)), code=3
    )
    assert "do not decide" in undecided.stderr


def test_splits_are_settled_by_a_third_person(sampled: Project) -> None:
    rate_all(sampled, "ann")
    rate_all(sampled, "bob", shift=3)
    listed = sampled.run("audit", "settle", "--list", code=0).stdout.splitlines()
    item = listed[1].split("\t")[0]
    assert (
        "cannot decide alone"
        in sampled.run("audit", "settle", item, "--dimension", "tone", "--value", "4", "--by", "ann", code=2).stderr
    )
    sampled.run("audit", "settle", item, "--dimension", "tone", "--value", "4", "--by", "cem", code=0)
    sampled.run("audit", "settle", item, "--dimension", "correctness", "--value", "?", "--by", "cem", code=0)
    assert len(sampled.run("audit", "settle", "--list", code=0).stdout.splitlines()) == len(listed) - 2
    for words in (["--value", "9"], ["--value", "x"]):
        sampled.run("audit", "settle", item, "--dimension", "tone", *words, code=2)
    sampled.run("audit", "settle", item, "--dimension", "odd", "--value", "3", code=2)
    sampled.run("audit", "settle", "nosuch", "--dimension", "tone", "--value", "3", code=2)


def test_a_sheet_is_blind_and_comes_back(sampled: Project) -> None:
    rate_all(sampled, "ann")
    sampled.run("audit", "export", "sheet.csv", "--what", "sheet", "--rater", "bob", code=0)
    text = (sampled.folder / "sheet.csv").read_text()
    for hidden in ("ann", "judge", "solved", "flagged", "confidence"):
        assert hidden not in text
    rows = list(csv.DictReader(text.splitlines()))
    rows[0].update(dict.fromkeys(NAMES, "4"))
    rows[1].update({"correctness": "?", "tone": "3"})
    with (sampled.folder / "done.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert "2 conversations rated" in sampled.run("audit", "rate", "--import", "done.csv", code=0).stderr
    sampled.run("audit", "export", "all.jsonl", code=0)
    lines = [json.loads(line) for line in (sampled.folder / "all.jsonl").read_text().splitlines()]
    assert {line["rater"] for line in lines} == {"ann", "bob"}
    assert [line["correctness"] for line in lines if line["rater"] == "bob"] == [4, None]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("r.csv", "item,tone\nX,7\n", "must be from 1 to 5, not '7'"),
        ("r.csv", "tone\n3\n", "column `item`"),
        ("r.csv", "item,tone,toon\nX,3,4\n", "did you mean tone?"),
        ("r.csv", "", "column `item`"),
        ("r.jsonl", "", "no ratings"),
        ("r.jsonl", "{", "is not JSON"),
        ("r.jsonl", "[]", "is no object"),
        ("r.jsonl", '{"item": "X", "tone": 3}', "name the person with --rater"),
        ("r.jsonl", '{"item": "X", "rater": "a", "tone": true}', "must be from 1 to 5"),
        ("r.jsonl", '{"item": "X", "rater": "a", "tone": 3}', "no audit item 'X'"),
        ("r.jsonl", '{"item": "X", "rater": "a", "tone": 3, "time": "noon"}', "is no time"),
        ("r.txt", "x", ".csv or .jsonl"),
    ],
)
def test_wrong_files_of_ratings_are_explained(sampled: Project, name: str, text: str, said: str) -> None:
    sampled.write(name, text)
    assert said in sampled.run("audit", "rate", "--import", name, code=2).stderr


def test_every_wrong_line_of_an_import_is_named_at_once(sampled: Project) -> None:
    known = items(sampled)[0]["item"]
    lines = [
        {"item": known, "rater": "ann", "tone": 3},
        {"item": "nosuch", "rater": "ann", "tone": 3},
        {"item": known, "rater": "bob", "tone": 9},
        {"item": "neither", "rater": "bob", "tone": 9},
    ]
    sampled.write("r.jsonl", "\n".join([*map(json.dumps, lines), "{"]))
    told = sampled.run("audit", "rate", "--import", "r.jsonl", code=2).stderr
    assert "r.jsonl:2: item: there is no audit item 'nosuch'" in told
    assert "r.jsonl:3: tone: must be from 1 to 5, not '9'" in told
    assert "r.jsonl:4: tone: must be from 1 to 5, not '9'" in told
    assert "r.jsonl:4: item: there is no audit item 'neither'" in told
    assert "r.jsonl:5: is not JSON" in told
    assert "5 problems" in told
    assert "\t0\t0\t0" in sampled.run("audit", "list", code=0).stdout, "nothing of it is stored"


def test_mistakes_before_there_is_a_sample(project: Project) -> None:
    assert "no event log in the store" in project.run("audit", "sample", code=2).stderr
    assert "no audit sample" in project.run("audit", "agree", code=2).stderr
    assert "no audit sample" in project.run("audit", "rate", code=2).stderr
    project.write("empty.jsonl", "")
    assert "no events" in project.run("audit", "sample", "empty.jsonl", code=2).stderr
    write_log(project.folder / "events.jsonl", traffic(monday(), 2, per_day=3))
    assert "use --week 2026-W40" in project.run("audit", "sample", "events.jsonl", "--week", "2026-W20", code=2).stderr
    assert "there is no week" in project.run("audit", "sample", "events.jsonl", "--week", "2026-W60", code=2).stderr
    config = project.folder / "proctor.yaml"
    config.write_text(config.read_text() + "\naudit: {size: 10, core: 20, odd: 1}\n")
    failed = project.run("audit", "sample", "events.jsonl", "--week", "2026-W40", code=2)
    assert "audit" in failed.stderr
    assert "odd" in failed.stderr


def _typed(project: Project, keys: str, *words: str) -> tuple[int, str]:
    """Run the program at a terminal of its own and type each key when it is asked for."""
    main, sub = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *words],
        cwd=project.folder,
        env=project.variables(),
        stdin=sub,
        stdout=sub,
        stderr=sub,
        close_fds=True,
    )
    os.close(sub)
    shown, left = "", list(keys)
    waiting = select.poll()  # unlike select() it takes any file
    waiting.register(main, select.POLLIN)
    try:
        while waiting.poll(30_000):
            part = os.read(main, 65536).decode(errors="replace")
            shown += part
            if left and shown.endswith(": "):
                while termios.tcgetattr(main)[3] & termios.ICANON:  # not listening yet: it would throw the key away
                    time.sleep(0.01)
                os.write(main, left.pop(0).encode())
    except OSError:  # the terminal is closed
        pass
    finally:
        os.close(main)
        process.kill() if left else None
        code = process.wait(timeout=30)
    return code, shown


def test_five_keys_rate_a_conversation_at_a_terminal(sampled: Project) -> None:
    code, shown = _typed(sampled, "4435\n" + "5?" + "b" + "154 " + "q", "audit", "rate", "--rater", "ann")
    assert code == 0, shown
    assert "2 rated, 28 left" in shown
    assert "user: " in shown
    sampled.run("audit", "export", "all.jsonl", code=0)
    lines = [json.loads(line) for line in (sampled.folder / "all.jsonl").read_text().splitlines()]
    assert [[line[name] for name in NAMES] for line in lines] == [[4, 4, 3, 5], [5, 1, 5, 4]]


def test_interrupted_rating_keeps_what_was_rated_and_gives_the_claim_back(sampled: Project) -> None:
    code, shown = _typed(sampled, "4435\n" + "33\x03", "audit", "rate", "--rater", "ann")
    assert code == 130, shown
    from proctor.store.audit import AuditStore

    with AuditStore(_store(sampled)) as store:
        assert len(store.ratings()) == 1
        assert store.database.execute("SELECT count(*) FROM claims").fetchone()[0] == 0


def test_settle_by_keys(sampled: Project) -> None:
    rate_all(sampled, "ann")
    rate_all(sampled, "bob", shift=3)
    code, shown = _typed(sampled, "4?sq", "audit", "settle", "--by", "cem")
    assert code == 0, shown
    assert "2 settled" in shown
    assert "ann" not in shown.replace("cannot", "")


@pytest.mark.parametrize("words", [("rate", "--rater", "ann"), ("settle", "--by", "cem")])
def test_without_a_terminal_one_line_names_the_import(sampled: Project, words: tuple[str, ...]) -> None:
    if "settle" in words:
        rate_all(sampled, "ann")
        rate_all(sampled, "bob", shift=3)
    done = sampled.run_process("audit", *words, code=2, stdin=subprocess.DEVNULL, start_new_session=True)
    assert "no terminal to read keys from" in done.stderr
    assert "--import" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    from proctor.store.audit import AuditStore

    with AuditStore(_store(sampled)) as store:
        assert store.database.execute("SELECT count(*) FROM claims").fetchone()[0] == 0


def test_forgetting_a_customer_reaches_the_sample(project: Project) -> None:
    write_log(project.folder / "events.jsonl", traffic(monday(), 7, per_day=4))
    project.run("history", "add", "events.jsonl", code=0)
    project.run("audit", "sample", "--week", "2026-W40", "--size", "28", code=0)
    customer = json.loads((project.folder / "events.jsonl").read_text().splitlines()[0])["customer"]
    done = project.run("history", "forget", customer, "--yes", code=0)
    assert " 0 audited conversations" not in done.stdout
    assert "audited conversations" in done.stdout
    assert any(row["conversation"].startswith("forgotten") for row in items(project))


def _store(project: Project) -> Path:
    return next(project.folder.rglob("audit.db")).parent
