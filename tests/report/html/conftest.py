"""A real Chromium, without a window, spoken to through a pair of pipes."""

import base64
import json
import math
import os
import shutil
import subprocess
import time
from select import select

import numpy as np
import pytest
from typer.testing import CliRunner

from fsops.cli.app import app
from fsops.core import Process
from fsops.data import (
    AttributeWeights,
    Band,
    BeyondChance,
    ChanceBaseline,
    Estimate,
    ExampleSet,
    SizeCurves,
    StudyAnswer,
    Verdict,
)
from fsops.examples import examples_folder
from fsops.operators import describe_attributes
from fsops.report.html import Report, page

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 60  # seconds for one answer on a busy machine
OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--no-first-run", "--disable-extensions", "--disable-background-networking",
    "--disable-component-update", "--remote-debugging-pipe", "--hide-scrollbars",
    "--font-render-hinting=none", "--force-color-profile=srgb",
)  # fmt: skip


class Browser:
    """Speaks the DevTools protocol: JSON messages with a NUL after each."""

    def __init__(self, program, profile):
        to_read, to_write = os.pipe(), os.pipe()
        theirs = to_read[0], to_write[1]
        # The browser reads from descriptor 3 and writes to 4.
        start = 'exec "$@" 3<&{} 4>&{}'.format(*theirs)
        self.process = subprocess.Popen(
            ["bash", "-c", start, "bash", program, *OPTIONS, f"--user-data-dir={profile}"],
            pass_fds=theirs,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for descriptor in theirs:
            os.close(descriptor)
        self._in, self._out = to_read[1], to_write[0]
        self._buffer, self._last = b"", 0
        self.events = []

    def close(self):
        self.call("Browser.close")
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._in)
        os.close(self._out)

    def call(self, method, session=None, **parameters):
        """Return the answer to a command; events that come meanwhile are kept."""
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._in, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            answer = self._receive(deadline)
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)
        raise TimeoutError(method)

    def _receive(self, deadline):
        while b"\0" not in self._buffer:
            if not select([self._out], [], [], max(deadline - time.monotonic(), 0))[0]:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self._out, 2**16)
            assert chunk, "the browser has ended"
            self._buffer += chunk
        text, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(text)

    def open(self, url, **look):
        """Return a page that has been loaded."""
        return Page(self, url, **look)


class Page:
    """A page in the browser; what it asked the network for and complained about is kept."""

    def __init__(self, browser, url, *, width=1200, height=900, dark=False):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.look(dark=dark)
        self.call("Page.navigate", url=url)
        self.wait_for(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def resize(self, width, height=900):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip

    def look(self, *, dark=False, media=""):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def eval(self, script):
        """Return the value of a JavaScript expression."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def wait_for(self, condition):
        deadline = time.monotonic() + PATIENCE
        while not self.eval(condition):
            assert time.monotonic() < deadline, condition
            time.sleep(0.02)

    def screenshot(self, file, *, whole=True):
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self, **options):
        return base64.b64decode(self.call("Page.printToPDF", **options)["data"])

    def _events(self, name):
        return [
            event["params"]
            for event in self.browser.events
            if event.get("sessionId") == self.session and event["method"] == name
        ]

    @property
    def complaints(self):
        """What the console says, errors and warnings alike."""
        logged = [event["entry"] for event in self._events("Log.entryAdded")]
        serious = [entry for entry in logged if entry["level"] in ("error", "warning")]
        thrown = self._events("Runtime.exceptionThrown")
        return thrown + serious + self._events("Runtime.consoleAPICalled")

    @property
    def requests(self):
        """Addresses that were asked for, without those that are data themselves."""
        urls = [event["request"]["url"] for event in self._events("Network.requestWillBeSent")]
        return [url for url in urls if not url.startswith("data:")]

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    program = next((path for name in NAMES if (path := shutil.which(name))), None)
    if program is None:
        if os.environ.get("CI"):
            pytest.fail("In CI the report must be tried in Chromium: apt-get install chromium.")
        pytest.skip("needs Chromium (apt-get install chromium)")
    started = Browser(program, tmp_path_factory.mktemp("chromium"))
    yield started
    started.close()


@pytest.fixture
def open_page(browser):
    """Return a function that opens a file in the browser."""
    pages = []

    def open_file(file, **look):
        pages.append(browser.open(file.as_uri(), **look))
        return pages[-1]

    yield open_file
    for opened in pages:
        opened.close()


@pytest.fixture
def made_report():
    """Return a function that makes the report of generated results."""

    def make(*results, process=None, **told):
        named = [(f"Step.{number}", value) for number, value in enumerate(results, start=1)]
        usual = {
            "file": "p.xml",
            "sha256": "0" * 64,
            "command": "fsops run p.xml --seed 1",
            "folder": "/home/me",
            "seed": 1,
            "macros": {},
            "started": "2026-01-02T03:04:05+00:00",
            "seconds": 1.5,
            "versions": {"fsops": "1", "Python": "3"},
            "platform": "Linux",
            "plugins": {},
            "results": named,
        }
        return Report(process=process or Process("Test"), **{**usual, **told})

    return make


@pytest.fixture
def report_of(tmp_path, made_report):
    """Return a function that writes the report of generated results, and returns the file."""

    def write(*results, **told):
        file = tmp_path / "report.html"
        file.write_text(page(made_report(*results, **told)), encoding="utf-8")
        return file

    return write


@pytest.fixture(scope="session")
def quickstart_report(tmp_path_factory):
    """Return the report of the quickstart, and what the same run says as JSON."""
    folder = tmp_path_factory.mktemp("quickstart")
    file = folder / "report.html"
    arguments = ["run", examples_folder() / "quickstart.xml", "--report", file, "--format", "json"]
    result = CliRunner().invoke(app, [str(a) for a in arguments], prog_name="fsops")
    assert result.exit_code == 0, result.stderr
    return file, json.loads(result.stdout)


@pytest.fixture(scope="session")
def study():
    """Return the results of a small study: answer, curves and described attributes."""
    return small_study()


@pytest.fixture(scope="session")
def noise():
    """Return the results of a study in which nothing was found."""
    return small_study(found=False)


def small_study(*, found=True):
    """Return answer, curves and descriptions of 40 rows of made-up values."""
    rng = np.random.default_rng(0)
    names = ["=SUM(A1)", "a gene", *(f"gene_{i}" for i in range(10))]
    y = np.array(["case", "control"] * 20)
    X = rng.normal(8, 1, size=(40, 60))
    X[y == "case", :3] += 2.0 * found
    X[:, 1] = X[:, 0] + 0.1 * rng.normal(size=40)
    table = ExampleSet.from_numpy(X, y, names=[*names, *(f"rest {i}" for i in range(48))])
    frequency = np.zeros(60)
    frequency[:12] = np.linspace(1, 0.2, 12)
    weights = AttributeWeights(
        table.schema.regular_names, frequency, details={"frequency": frequency}
    )
    described = describe_attributes(table, weights).descriptions
    sizes = np.array([1, 2, 5, 10])
    curves = SizeCurves(
        ["Weight by F-Test", "Weight by Relief"],
        sizes,
        rng.uniform(0.05, 0.3, size=(2, 4, 10)),
        criterion="classification_error",
        maximize=False,
        stability=rng.uniform(0.3, 0.9, size=(2, 4)),
    )
    return study_answer(table, curves, names, found=found), curves, described


def study_answer(table, curves, names, *, found):
    middle = np.full(len(curves.sizes), 0.5)
    band = Band(middle - 0.1, middle, middle + 0.1)
    chance = ChanceBaseline(
        sizes=curves.sizes,
        score_name="balanced accuracy",
        score=1 - curves.mean[0],
        score_band=band,
        score_limit=0.65,
        guess=0.5,
        criterion="classification_error",
        error=curves.mean[0],
        error_band=band,
        majority_error=0.5,
        stability=curves.stability[0],
        stability_band=band,
        frequency_limit=0.46,
        list_length=20,
        resamples=50,
        attribute_limit=0.3,
        permutations=199,
        planned=199,
        arrangements=math.inf,
        p_value=0.005 if found else 0.4,
        p_error=0.005 if found else 0.4,
        p_stability=0.01,
        p_attribute=0.01,
    )
    yes = Verdict("clear", "green", "Yes.", ("Signal found.",), "Not said: a cause.", ("Few.",), ())
    no = Verdict("nothing", "red", "No. Nothing was found.", ("As by chance.",), "", (), ("More.",))
    return StudyAnswer(
        verdict=yes if found else no,
        chance=chance,
        estimates=(Estimate("balanced accuracy", 0.9, 0.8, 0.97, 0.5, True),),
        label="label",
        classes=table.classes,
        class_counts=(20, 20),
        rows=40,
        attributes=60,
        method="Weight by F-Test",
        size=2,
        best_size=5,
        best_score=0.95,
        beyond=tuple(BeyondChance(name, 0.01) for name in names[:3]) if found else (),
    )
