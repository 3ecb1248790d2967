"""Each statement that the review of the documentation found false or missing is corrected.

`FINDINGS` maps each finding to checks: a test that exists, words that a page has (`Says`), or words
that it no longer has (`Lacks`). Findings that no other test shows are tested at the end.
"""

import ast
import functools
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from fsops.cli.output.operator_page import example_xml
from fsops.memory import parse_size
from fsops.plugins import plugins

ROOT = Path(__file__).resolve().parents[2]
HERE = "docs/test_review_of_docs.py"
BLOCKS = "docs/test_code_blocks.py"
EVENTS, README = "cli/test_events.py", "docs/test_readme.py"
COMPLETE, RUN = "docs/test_completeness.py", "runs/test_run.py"


class Test(NamedTuple):
    """A test below `tests`."""

    __test__ = False
    file: str
    name: str


class Says(NamedTuple):
    """Words of a page, whatever its line breaks."""

    page: str
    words: str


class Lacks(NamedTuple):
    """Words that no line of a page has any more."""

    page: str
    words: str


FINDINGS = {
    "1 processes of papers read a folder that readers do not have": (
        Test(RUN, "test_the_environment_names_the_folder_of_the_data_sets"),
        Test(RUN, "test_a_folder_of_data_sets_that_does_not_exist_is_named_with_the_remedy"),
        Test(HERE, "test_a_page_about_a_paper_names_the_files_that_its_processes_read"),
        Says("docs/papers/stability.md", "`FSOPS_DATA` names; `--macro data=FOLDER` names another"),
        Says("docs/papers/filter_svm.md", "`FSOPS_DATA` or `--macro data=FOLDER` names"),
        Says("docs/papers/mixed_kernels.md", "`FSOPS_DATA` or `--macro data=FOLDER` names"),
    ),
    "1 validation finds no missing file": (
        Says(
            "docs/command-line.md",
            "if the name of the file contains a macro: such a file is looked for by",
        ),
    ),
    "2 scripts about stability read a fixed folder": (
        Test("papers/test_catalogue.py", "test_missing_data_are_named_in_one_sentence"),
        Lacks("docs/papers/stability.md", "python benchmarks/"),
        Says("benchmarks/instance_based.py", 'os.environ.get("FSOPS_DATA"'),
    ),
    "3 the command for the table of RapidMiner's samples lacks its folder": (
        Says("docs/rapidminer.md", "`python tools/make_rapidminer_table.py FOLDER`"),
    ),
    "4 figures of the gallery that the process does not write": (
        Says("docs/gallery.md", "Some figures below show a port that the process does not return"),
        Says("docs/gallery.md", "`result.plot(name)` draws one"),
        Test("docs/test_gallery.py", "test_the_page_is_what_the_script_makes"),
    ),
    "5 pip finds no package": (
        Test(HERE, "test_a_page_that_installs_an_extra_says_how_from_the_sources"),
    ),
    "6 the help of fsops cache says that results are kept": (
        Test(HERE, "test_the_help_of_the_cache_and_of_jobs_says_what_happens"),
    ),
    "7 --jobs does not mean all cores": (
        Test(HERE, "test_the_help_of_the_cache_and_of_jobs_says_what_happens"),
        Test("runs/test_options.py", "test_several_jobs_mean_processes"),
    ),
    "8 examples of operators with files that they cannot read": (
        Test(HERE, "test_an_example_names_a_file_of_the_kind_that_is_read"),
        Test(
            "cli/commands/test_describe.py",
            "test_every_operator_has_a_page_and_an_example_that_can_be_read",
        ),
    ),
    "9 fsops plugins new writes something else": (
        Says("README.md", "`fsops plugins new mine` writes one as a package with tests"),
        Lacks("README.md", "writes this"),
    ),
    "10 events: a warning that cannot come, a part that looks like all, a key without origin": (
        Test(EVENTS, "test_the_example_on_the_page_is_as_written"),
        Says("docs/events.md", "Some of the lines it writes:"),
        Lacks("docs/events.md", "k is 40"),
        Says("docs/events.md", "read a value with the `key` of a `port` event"),
    ),
    "11 names of selectors, and operators without one": (
        Test("docs/test_scikit_learn.py", "test_every_selector_that_is_named_exists"),
        Says("docs/scikit-learn.md", "Every operator that weighs or selects the attributes of a"),
        Says("docs/scikit-learn.md", "`weight_by_sam` becomes `WeightBySam`"),
        Lacks("docs/scikit-learn.md", "in capitals"),
    ),
    "12 sizes of the cache": (
        Test(HERE, "test_sizes_are_those_of_their_units"),
        Says("docs/running.md", "single iterations of nested loops (up to 1 GiB each)"),
        Says("docs/running.md", "When the limit (4 GiB) is reached"),
    ),
    "13 a link to a page that does not exist": (Lacks("benchmarks/README.md", "performance.md"),),
    "14 old pictures of the designer": (
        Test(HERE, "test_every_picture_of_the_designer_comes_from_the_script"),
    ),
    "15 the README shows other output than is printed": (
        Test(README, "test_the_printed_block_is_what_the_quickstart_prints"),
    ),
    "15 the help of fsops data cuts sentences": (
        Test("cli/test_app.py", "test_help_of_a_group_cuts_no_sentence"),
    ),
    "16 modules that no list has": (
        Test(HERE, "test_every_module_is_in_the_list_of_its_package"),
        Test(COMPLETE, "test_every_package_is_in_the_guide"),
    ),
    "no way from the README to papers and benchmarks": (
        Says("README.md", "](docs/papers/index.md)"),
        Says("README.md", "](benchmarks/README.md)"),
        Test(README, "test_links_lead_somewhere"),
    ),
    "a list of the operators to read": (
        Test("docs/test_operator_pages.py", "test_the_pages_and_their_list_are_written"),
        Test("docs/test_choosing.py", "test_the_table_has_a_row_for_each_operator"),
    ),
    "a glossary": (
        Says("docs/glossary.md", "| iteration |"),
        Says("docs/glossary.md", "| macro |"),
        Says("docs/glossary.md", "| through |"),
        Says("docs/glossary.md", "| example |"),
        Lacks("docs/glossary.md", "| turn"),
    ),
    "exit codes": (Test(COMPLETE, "test_every_exit_code_is_explained"),),
    "all variables on one page": (
        Test(COMPLETE, "test_every_environment_variable_is_explained"),
        Says("docs/command-line.md", "| `FSOPS_CACHE` |"),
    ),
    "options that no page explains": (
        Test(COMPLETE, "test_every_option_is_explained_with_its_command"),
        Says("docs/command-line.md", "| `--memory-limit SIZE` |"),
        Says("docs/command-line.md", "| `--allow-write DIR` |"),
        Says("docs/command-line.md", "| `--all` |"),
        Says("docs/command-line.md", "| `--debug` |"),
        Says("docs/command-line.md", "`--copy DIR`"),
    ),
    "an index of papers": (
        Test("papers/test_index.py", "test_the_page_has_every_experiment_and_its_result"),
    ),
    "figures 3 and 6 of Schowe": (
        Says("docs/papers/schowe.md", "## Figure 3"),
        Says("docs/papers/schowe.md", "## Figure 6"),
    ),
    "where public data sets are published": (
        Says("docs/python.md", "`fsops data describe colon` says where it is published"),
        Test("cli/commands/test_data.py", "test_describe_says_how_to_get_what_is_not_here"),
    ),
    "hard sentence 1, --until": (
        Lacks("docs/running.md", "What leaves macros"),
        Says("docs/running.md", "log or write files run first, even without a wire"),
    ),
    "hard sentence 2, tables as keys": (
        Lacks("docs/running.md", "Tables count by"),
        Says("docs/running.md", "Tables are identified by their content"),
    ),
    "hard sentence 3, connections of a new operator": (
        Lacks("docs/designer.md", "what its inputs wait for"),
        Says("docs/designer.md", "connected to the outputs of the selected operator that fit"),
    ),
    "hard sentence 4, unsaved work": (
        Lacks("docs/designer.md", "that of a process without a file"),
        Says("docs/designer.md", "Unsaved changes are kept beside it in `.NAME.swap`"),
    ),
    "hard sentence 5, breakpoints": (
        Lacks("docs/designer.md", "One that is removed"),
        Says("docs/designer.md", "A new breakpoint has an effect from the next run on."),
    ),
    "hard sentence 6, the id": (
        Lacks("docs/your-data.md", "The id of the rows is what"),
        Says("docs/your-data.md", "The id of the rows is a text column with a different value"),
    ),
    "hard sentence 7, files without a version": (
        Lacks("docs/process-file.md", "so does none where"),
        Says("docs/process-file.md", "A file without a version is one of RapidMiner if"),
    ),
    "hard sentence 8, only a warning": (
        Lacks("docs/validation.md", "So is what does not suit"),
        Says("docs/validation.md", "In three cases fsops only warns."),
    ),
    "hard sentence 9, fractions": (
        Lacks("docs/python.md", "gives fractions to"),
        Says("docs/python.md", "both use the rounded number"),
    ),
    "hard sentence 10, values that are not stored": (
        Lacks("docs/events.md", "Nor is it where"),
        Says("docs/events.md", "the values inside the loop are not stored"),
    ),
}


@functools.cache
def text_of(page):
    return " ".join((ROOT / page).read_text(encoding="utf-8").split())


@functools.cache
def functions_of(file):
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("finding", FINDINGS)
def test_a_finding_is_corrected(finding):
    for check in FINDINGS[finding]:
        if isinstance(check, Test):
            assert check.name in functions_of(check.file), check
        else:
            assert (check.words in text_of(check.page)) is isinstance(check, Says), check


# --- what no other test shows -----------------------------------------------------------------


@pytest.mark.parametrize("paper", ["filter_svm", "mixed_kernels"])
def test_a_page_about_a_paper_names_the_files_that_its_processes_read(paper):
    for process in (ROOT / "processes" / "papers" / paper).glob("*.xml"):
        for file in re.findall(r"%\{data\}/([\w.]+)", process.read_text(encoding="utf-8")):
            assert f"`{file}`" in text_of(f"docs/papers/{paper}.md"), process.name


def test_a_page_that_installs_an_extra_says_how_from_the_sources():
    for page in (ROOT / "docs").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for extra in set(re.findall(r"pip install \"fsops(\[[a-z-]+\])", text)) - {"[gui-test]"}:
            named = f'".{extra}"' in text
            assert named or "in a copy of the sources" in text, (page.name, extra)


def test_the_help_of_the_cache_and_of_jobs_says_what_happens(as_printed):
    for command in ("clear", "info"):
        shown = as_printed(f"fsops cache {command} --help").stdout
        assert "Keep results" not in shown
        assert "Folder of the cache" in shown
    shown = " ".join(as_printed("fsops run --help").stdout.split())
    assert "Number of workers. Default: 1; with --engine all cores." in shown


@pytest.mark.parametrize(
    ("key", "file"),
    [
        ("read_arff", "data.arff"),
        ("write_arff", "data.arff"),
        ("read_excel", "data.xlsx"),
        ("write_excel", "data.xlsx"),
        ("read_parquet", "data.parquet"),
        ("write_parquet", "data.parquet"),
        ("read_weights", "data.wgt"),
        ("write_weights", "data.wgt"),
        ("store", "data.ioo"),
        ("rename", "att1"),
    ],
)
def test_an_example_names_a_file_of_the_kind_that_is_read(key, file):
    assert f'value="{file}"' in example_xml(plugins().registry[key])
    assert "…" not in example_xml(plugins().registry[key])


def test_sizes_are_those_of_their_units():
    assert parse_size("10GB") == 10 * 10**9
    assert parse_size("4GiB") == 4 * 2**30


def test_every_picture_of_the_designer_comes_from_the_script():
    script = (ROOT / "tools" / "make_screenshots.py").read_text(encoding="utf-8")
    names = {path.stem.rpartition("_")[0] for path in (ROOT / "docs/designer").glob("*.png")}
    assert names
    assert [name for name in sorted(names) if f'"{name}"' not in script] == []


@pytest.mark.parametrize(
    ("folder", "page"), [("fsops", "CONTRIBUTING.md"), ("fsops/editing", "docs/designer.md")]
)
def test_every_module_is_in_the_list_of_its_package(folder, page):
    prefix = "fsops/" if folder == "fsops" else ""
    names = {f"`{prefix}{path.name}`" for path in (ROOT / folder).glob("[!_]*.py")}
    assert [name for name in sorted(names) if name not in text_of(page)] == []
