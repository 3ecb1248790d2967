"""Commands of pages that no test runs name scripts, options and targets that exist.

Benchmarks take minutes and `make` builds environments, so their blocks are checked, not run.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("benchmarks/README.md", "CONTRIBUTING.md")
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
COMMANDS = [
    (page, line.partition("  #")[0].strip())
    for page in PAGES
    for block in BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    for line in block.splitlines()
    if line.strip() and not line.startswith("#")
]


@pytest.mark.parametrize(("page", "command"), [c for c in COMMANDS if "python " in c[1]])
def test_a_script_exists_and_knows_the_options(page, command):
    for script, rest in re.findall(r"python ((?:benchmarks|tools)/\S+\.py)([^;&|]*)", command):
        text = (ROOT / script).read_text(encoding="utf-8")
        helpers = "".join(
            file.read_text(encoding="utf-8") for file in (ROOT / "benchmarks").glob("*.py")
        )
        known = text if "argparse" in text else text + helpers
        missing = [o for o in re.findall(r"--[a-z-]+", rest) if f'"{o}"' not in known]
        assert missing == [], f"{page}: {command}"


@pytest.mark.parametrize("command", [c for _, c in COMMANDS if c.startswith("make ")])
def test_a_target_of_make_exists(command):
    targets = re.findall(r"^(\w+):  ##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    assert command.split()[1] in targets


def test_the_pages_have_commands():
    assert {page for page, _ in COMMANDS} == set(PAGES)
