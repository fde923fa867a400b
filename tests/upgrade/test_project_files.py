"""A proctor.yaml, suites, a golden file and a generated folder of the version before."""

from __future__ import annotations

from pathlib import Path

from tests.upgrade.conftest import Shop

GENERATED = ("intent.txt", "inputs.yaml", "rules.yaml", "tests.yaml", "provenance.json")


def _texts(folder: Path) -> dict[str, str]:
    return {name: (folder / name).read_text(encoding="utf-8") for name in GENERATED}


def test_settings_and_suites_are_valid(shop: Shop) -> None:
    done = shop.run("validate")
    assert done.stderr == ""
    assert "first: 10 cases" in done.stdout
    shown = shop.run("doctor").stdout
    for setting in ("guard.escalate", "allow_commands", "completion", "triggers", "escalation"):
        assert setting in shown, setting
    assert "broken" not in shown


def test_a_trigger_runs_and_the_golden_file_is_the_suite(shop: Shop) -> None:
    shop.run("run", "--trigger", "continuous")
    assert "no difference" in shop.run("diff", "golden.jsonl", "suites/first.yaml").stdout
    shop.run("freeze", "suites/first.yaml", "-o", "again.jsonl")
    written = [(shop.folder / name).read_text(encoding="utf-8") for name in ("golden.jsonl", "again.jsonl")]
    assert written[0] == written[1]
    shop.run("run", "golden.jsonl", "-t", "agent")


def test_nothing_of_a_generated_folder_is_made_again(shop: Shop) -> None:
    folder = shop.folder / "prompts" / "reply.tests"
    before = _texts(folder)
    assert "nothing to make" in _generate(shop)
    assert _texts(folder) == before


def test_what_a_person_edited_stays(shop: Shop) -> None:
    folder = shop.folder / "prompts" / "reply.tests"
    rules = (folder / "rules.yaml").read_text(encoding="utf-8")
    edited = rules.replace("The output has at most 40 words.", "The answer has 40 words or fewer.", 1)
    assert edited != rules
    (folder / "rules.yaml").write_text(edited, encoding="utf-8")
    (folder / "intent.txt").write_text("Answers customers.\n", encoding="utf-8")
    prompt = shop.folder / "prompts" / "reply.prompty"
    text = prompt.read_text(encoding="utf-8").replace("- Do not use exclamation marks.", "- Use no emoji.")
    prompt.write_text(text, encoding="utf-8")
    _generate(shop)
    after = _texts(folder)
    assert "The answer has 40 words or fewer." in after["rules.yaml"]
    assert "exclamation" not in after["rules.yaml"]
    assert after["intent.txt"] == "Answers customers.\n"


def test_generated_tests_are_run_reviewed_and_exported(shop: Shop) -> None:
    assert "3 of 3 passed" in shop.run("run", "prompts/reply.prompty", "-m", "canned", "--light", "-n", "3").stdout
    assert "aims at" in shop.run("review", "prompts/reply.prompty").stdout
    shop.run("export", "prompts/reply.prompty", "--to", "promptfoo", "-o", "foo")
    checked = shop.run(
        "rules", "check", "talks.jsonl", "--rules", "prompts/reply.tests/rules.yaml", "--light", code=1
    ).stderr
    assert "3 of 3 conversations broke a rule" in checked


def test_a_model_that_left_the_package_is_named(shop: Shop) -> None:
    refused = shop.run("run", "prompts/reply.prompty", "-m", "obedient:scripted", code=2).stderr
    assert "no model is called 'obedient'" in refused
    assert "obedient:scripted" in shop.run("show", shop.runs["prompt"]).stdout  # its old run is still read


def _generate(shop: Shop) -> str:
    return shop.run("generate", "prompts/reply.prompty", "--no-model", "--effort", "min").stdout
