"""``python -m proctor`` is the command line, for environments whose scripts are not on the path."""

import subprocess
import sys


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "proctor", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("proctor, version")


def test_its_help_names_the_command_that_users_type() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "proctor", "run", "--help"], capture_output=True, text=True, check=True
    )
    assert "proctor run [OPTIONS]" in done.stdout
