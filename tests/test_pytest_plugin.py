"""The pytest plugin, in test runs of its own."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

SUITE = """
scorers:
  - length: {unit: words, at_most: 80}
cases:
  - id: greeting
    input: Hello
    tags: [polite]
    checks: [{contains: hello}]
  - id: parting
    input: Bye
    intent: farewell
    checks: [{contains: good night}]
  - id: crash
    input: crash
"""
AGENT = """
def answer(text):
    if text == "crash":
        raise ValueError("no connection")
    return text.lower()

def loud(text):
    return text.upper()
"""
PROJECT = """
target: agent
targets:
  agent: {python: "agent.py:answer"}
  loud: {python: "agent.py:loud"}
suites: {first: suites/first.yaml}
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\naddopts = -p no:langsmith_plugin\n")
    for name, text in {"suites/first.yaml": SUITE, "agent.py": AGENT, "proctor.yaml": PROJECT}.items():
        path = pytester.path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return pytester


def test_each_case_is_a_test_in_one_of_three_states(project: pytest.Pytester) -> None:
    done = project.runpytest("--proctor", "suites/first.yaml", "-v")
    done.assert_outcomes(passed=1, failed=1, errors=1)
    done.stdout.fnmatch_lines(
        [
            "suites/first.yaml::greeting PASSED*",
            "suites/first.yaml::parting FAILED*",
            "suites/first.yaml::crash ERROR*",
        ]
    )
    done.stdout.fnmatch_lines(
        ["*target error: ValueError: no connection*", "*case crash could not be judged on agent*"]
    )
    done.stdout.fnmatch_lines(
        [
            "contains 0.00 < 1: missing: 'good night'",
            "  case parting failed on agent (*first.yaml:9)",
            "  user: Bye",
            "  assistant: bye",
        ]
    )
    done.stdout.no_fnmatch_line("*Traceback*")


def test_the_cases_stand_beside_the_users_own_tests(project: pytest.Pytester) -> None:
    project.makepyfile("def test_own(): pass")
    project.runpytest("--proctor", "first").assert_outcomes(passed=2, failed=1, errors=1)
    project.runpytest("--proctor", "first", "-m", "proctor", "-k", "greeting").assert_outcomes(passed=1, deselected=3)
    project.runpytest("--proctor", "first", "-k", "polite").assert_outcomes(passed=1, deselected=3)
    project.runpytest("--proctor", "first", "-k", "farewell").assert_outcomes(failed=1, deselected=3)
    project.runpytest().assert_outcomes(passed=1)


def test_targets_are_chosen_by_options_and_several_are_told_apart(project: pytest.Pytester) -> None:
    done = project.runpytest("--proctor", "first", "--proctor-target", "agent", "--proctor-target", "loud", "-v")
    done.stdout.fnmatch_lines(["*::greeting?agent? PASSED*", "*::greeting?loud? FAILED*"])
    done.assert_outcomes(passed=2, failed=3, errors=1)


def test_a_prompt_target_is_put_to_a_model(project: pytest.Pytester) -> None:
    (project.path / "proctor.yaml").write_text(
        "models: {fixed: {provider: scripted, model: any, replies: [hello there]}}\n", encoding="utf-8"
    )
    (project.path / "one.yaml").write_text("cases: [{id: a, input: Hi, checks: [{contains: hello}]}]", encoding="utf-8")
    project.runpytest("--proctor", "one.yaml", "--proctor-model", "fixed").assert_outcomes(passed=1)


def test_a_folder_is_one_suite(project: pytest.Pytester) -> None:
    (project.path / "suites" / "more.yaml").write_text(
        "cases: [{id: extra, input: Hello, checks: [{contains: hello}]}]", encoding="utf-8"
    )
    done = project.runpytest("--proctor", "suites", "-v")
    done.stdout.fnmatch_lines(["suites::greeting PASSED*"])
    done.assert_outcomes(passed=2, failed=1, errors=1)


def test_a_mistake_in_the_suite_is_a_collection_error_with_its_place(project: pytest.Pytester) -> None:
    bad = project.path / "suites" / "bad.yaml"
    bad.write_text("cases:\n  - id: a\n    input: Hello\n    checks: [{contians: x}]\n", encoding="utf-8")
    done = project.runpytest("--proctor", "suites/bad.yaml")
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*bad.yaml:4*contians*", "*did you mean*contains*"])
    done.stdout.no_fnmatch_line("*Traceback*")


def test_a_mistake_in_proctor_yaml_ends_the_run_with_a_hint(project: pytest.Pytester) -> None:
    (project.path / "proctor.yaml").write_text("targts: {}\n", encoding="utf-8")
    done = project.runpytest("--proctor", "suites/first.yaml")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*proctor.yaml:1*targts*"])


def test_a_mistake_in_proctor_yaml_is_shown_by_the_fixture_without_tracebacks(project: pytest.Pytester) -> None:
    (project.path / "proctor.yaml").write_text("targts: {}\n", encoding="utf-8")
    project.makepyfile("def test_own(assert_case): pass")
    done = project.runpytest()
    done.assert_outcomes(errors=1)
    done.stdout.fnmatch_lines(["*ERROR at setup of test_own*", "*proctor.yaml:1*targts*"], consecutive=True)
    done.stdout.no_fnmatch_line("*Error: *proctor.yaml*")
    done.stdout.no_fnmatch_line("*The above exception*")


def test_an_unknown_suite_ends_the_run_with_those_that_are_known(project: pytest.Pytester) -> None:
    done = project.runpytest("--proctor", "nightly")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*there is no suite 'nightly'*", "*`suites:` has: first*"])
    project.runpytest("--proctor", "frist").stderr.fnmatch_lines(["*did you mean 'first'?"])


def test_nothing_is_kept(project: pytest.Pytester) -> None:
    project.runpytest("--proctor", "first", "-p", "no:cacheprovider")
    assert not (project.path / ".proctor").exists()


def test_assert_case_passes_fails_and_tells_what_cannot_be_judged(project: pytest.Pytester) -> None:
    project.makepyfile(
        """
        import pytest
        from proctor.core.case import Case, Check
        from proctor.core.errors import InputError
        from proctor.pytest_items import UnscoredCaseError

        CASE = {"input": "Hello", "checks": [{"contains": "hello"}]}

        def test_answer(assert_case):
            result = assert_case(CASE, "hello there")
            assert result.trajectory.answer == "hello there"

        def test_function(assert_case):
            assert_case(CASE, lambda text: text.lower())

        async def soon(text):
            return text.lower()

        def test_async_function(assert_case):
            assert_case(CASE, soon)

        def test_target_of_the_project(assert_case):
            assert assert_case(CASE).target == "agent"

        def test_object(assert_case):
            case = Case(id="a", input="Hello", checks=(Check(scorer="contains", settings={"value": "hello"}),))
            assert_case(case, "hello")

        def test_unscored(assert_case):
            with pytest.raises(UnscoredCaseError, match="no connection"):
                assert_case({"input": "crash", "checks": [{"contains": "x"}]})

        def test_wrong(assert_case):
            with pytest.raises(InputError, match="contians"):
                assert_case("Hello", "hello", scorers=[{"contians": "x"}])

        def test_fails(assert_case):
            assert_case(CASE, "good night")
        """
    )
    done = project.runpytest()
    done.assert_outcomes(passed=7, failed=1)
    done.stdout.fnmatch_lines(
        ['>*assert_case(CASE, "good night")', "E*AssertionError: contains 0.00 < 1: missing: 'hello'"]
    )


def test_the_plugin_can_be_turned_off(project: pytest.Pytester) -> None:
    done = project.runpytest("-p", "no:proctor", "--proctor", "first")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
