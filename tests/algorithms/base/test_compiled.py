"""Kernels and numpy give the same numbers, and small jobs never meet numba."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import fsops
from fsops.algorithms.base import compiled as kernels, moments as m
from fsops.algorithms.base.compiled import rounded
from fsops.algorithms.neighbors import relief as rl
from fsops.algorithms.preparation.discretize import quantiles
from fsops.algorithms.statistics import information as info

NAN = np.nan


@pytest.fixture
def both(monkeypatch):
    """Result of a function by the numpy path, then by the kernels."""
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)

    def run(function):
        monkeypatch.setattr(kernels, "_worthwhile", lambda steps, least: False)
        by_numpy = function()
        monkeypatch.setattr(kernels, "_worthwhile", lambda steps, least: steps > 0)
        return by_numpy, function()

    return run


def _plain(rng):
    return rng.standard_normal((203, 37))


def _wide(rng):
    return rng.standard_normal((11, 4500))


def _constant(rng):
    X = _plain(rng)
    X[:, ::3] = 0.1
    return X


def _missing(rng):
    X = np.where(rng.random((203, 37)) < 0.1, NAN, _plain(rng))
    X[:, 5] = NAN
    X[0] = NAN
    return X


def _infinite(rng):
    X = _plain(rng)
    X[0, 1], X[7, 2], X[9, 3] = np.inf, -np.inf, np.inf
    return X


def _huge_mean(rng):
    return _plain(rng) + 1e6 * np.arange(1, 38)


def _single(rng):
    return _plain(rng).astype(np.float32)


def _read_only(rng):
    X = _plain(rng)
    X.flags.writeable = False
    return X


def _not_in_one_piece(rng):
    return rng.standard_normal((203, 74))[:, ::2]


TABLES = (
    _plain,
    _wide,
    _constant,
    _missing,
    _infinite,
    _huge_mean,
    _single,
    _read_only,
    _not_in_one_piece,
)


@pytest.fixture(params=TABLES, ids=lambda make: make.__name__.strip("_"))
def table(request):
    return request.param(np.random.default_rng(7))


def _assert_same(a, b, names, rtol=1e-12):
    for name in names:
        x, y = getattr(a, name), getattr(b, name)
        scale = np.nanmax(np.abs(np.where(np.isfinite(x), x, 0.0)), initial=1.0)
        np.testing.assert_allclose(x, y, rtol=rtol, atol=1e-14 * scale, err_msg=name)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("n_classes", [1, 2, 3])
@pytest.mark.parametrize("empty_classes", [0, 1])
def test_class_moments(both, table, order, n_classes, empty_classes):
    X = table if not table.flags.forc else np.asarray(table, order=order)
    codes = np.random.default_rng(1).integers(0, n_classes, len(X))
    a, b = both(lambda: m.ClassMoments.of(X, codes, n_classes + empty_classes))
    _assert_same(a, b, ("count", "origin", "offset", "ss"))
    assert a.count.shape == b.count.shape
    if np.isfinite(X).all():
        np.testing.assert_array_equal(a.origin, b.origin)
        np.testing.assert_array_equal(a.offset, b.offset)
        np.testing.assert_array_equal(a.ss, b.ss)
    np.testing.assert_array_equal(a.within() == 0, b.within() == 0)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("values", [np.nan, np.inf])
def test_few_values_change_only_the_moments_of_their_attributes(both, order, values):
    rng = np.random.default_rng(9)
    X = np.asarray(rng.standard_normal((91, 43)) + 100, order=order)
    codes, y = np.arange(91) % 3, rng.standard_normal(91)
    complete = m.ClassMoments.of(X, codes, 3), m.CrossMoments.of(X, y)
    # The first row of a class, several rows of one column, and a column without a known value.
    X[0, 5] = X[3:9, 8] = X[:, 42] = values
    others = np.delete(np.arange(43), [5, 8, 42])
    for by_class in both(lambda: m.ClassMoments.of(X, codes, 3)):
        np.testing.assert_allclose(by_class.ss[:, others], complete[0].ss[:, others], 1e-12)
        assert np.isnan(by_class.ss[:, 5]).any() == np.isinf(values)
    for cross in both(lambda: m.CrossMoments.of(X, y)):
        np.testing.assert_allclose(cross.mean_x[others], complete[1].mean_x[others], 1e-12)
        np.testing.assert_allclose(cross.ss_x[others], complete[1].ss_x[others], 1e-12)
        assert np.isnan(cross.cross[8]) == np.isinf(values)


@pytest.mark.parametrize("order", "CF")
def test_cross_moments(both, table, order):
    X = table if not table.flags.forc else np.asarray(table, order=order)
    y = np.random.default_rng(1).standard_normal(len(X)) + 5
    a, b = both(lambda: m.CrossMoments.of(X, y))
    _assert_same(a, b, ("count", "mean_x", "mean_y", "ss_x", "ss_y", "cross"))
    if np.isfinite(X).all():
        np.testing.assert_array_equal(a.ss_x, b.ss_x)
        np.testing.assert_array_equal(a.cross, b.cross)
    np.testing.assert_array_equal(a.within() == 0, b.within() == 0)


@pytest.mark.parametrize("order", "CF")
def test_moments_are_exact_where_the_mean_is_a_million_deviations(both, order):
    rng = np.random.default_rng(3)
    X = np.asarray(rng.standard_normal((500, 20)) + 1e6, order=order)
    codes = rng.integers(0, 2, 500)
    exact = X.astype(np.longdouble)
    _, ours = both(lambda: m.ClassMoments.of(X, codes, 2))
    for c in range(2):
        part = exact[codes == c]
        ss = ((part - part.mean(axis=0)) ** 2).sum(axis=0)
        np.testing.assert_allclose(ours.ss[c], ss.astype(np.float64), rtol=1e-12)
    gap = exact[codes == 1].mean(axis=0) - exact[codes == 0].mean(axis=0)
    difference = ours.offset[1] - ours.offset[0]
    np.testing.assert_allclose(difference, gap.astype(np.float64), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.bool_])
@pytest.mark.parametrize("levels", [5, 40])
@pytest.mark.parametrize("missing", ["category", "pairwise"])
def test_counts(both, order, dtype, levels, missing):
    rng = np.random.default_rng(11)
    top = 2 if dtype is np.bool_ else levels
    X = rng.integers(-1 if np.dtype(dtype).kind == "i" else 0, top, (611, 270)).astype(dtype)
    X[:, 3] = 0
    if np.dtype(dtype).kind == "i":
        X[:, 4] = -1
    codes = rng.integers(0, 3, 611)
    X = np.asarray(X, order=order)
    a, b = both(lambda: info.Contingency.of(X, codes, n_classes=4, missing=missing))
    np.testing.assert_array_equal(a.counts, b.counts)
    np.testing.assert_array_equal(a.starts, b.starts)


@pytest.mark.parametrize("make", [_plain, _constant, _missing, _huge_mean, _single, _read_only])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("metric", ["manhattan", "euclidean"])
def test_relieff(both, make, n_classes, metric):
    rng = np.random.default_rng(5)
    X = make(rng)
    nominal = rng.integers(-1, 3, (len(X), 4))
    codes = rng.integers(0, n_classes, len(X))
    a, b = both(lambda: rl.relieff(X, nominal, codes, k=7, metric=metric))
    _assert_same(a, b, ("statistic", "weights"))
    np.testing.assert_array_equal(a.undefined, b.undefined)


@pytest.mark.parametrize("n", [2, 3, 256, 259])
@pytest.mark.parametrize("m", [None, 2])
def test_relieff_for_any_number_of_rows(both, n, m):
    rng = np.random.default_rng(n)
    X, codes = rng.standard_normal((n, 6)), np.arange(n) % 2
    a, b = both(lambda: rl.relieff(X, None, codes, m=m, rng=np.random.default_rng(0)))
    _assert_same(a, b, ("statistic",))


def _few_values(rng):
    return rng.integers(0, 3, (90, 12)) / 2


def _nearly_equal(rng):
    # Differences between rows that single precision does not see.
    return 0.5 + 1e-9 * rng.standard_normal((90, 12)) + rng.integers(0, 2, (90, 1))


def _some_equal_distances(rng):
    X = rng.standard_normal((90, 12))
    X[10], X[11] = X[0] + 1, X[0] - 1
    return X


def _wide_rows(rng):
    return rng.standard_normal((61, 700))


@pytest.mark.parametrize("make", [_few_values, _nearly_equal, _some_equal_distances, _wide_rows])
@pytest.mark.parametrize("n_classes", [1, 2, 4])
@pytest.mark.parametrize("k", [1, 10, 40])
def test_relieff_by_screened_distances(both, make, n_classes, k):
    rng = np.random.default_rng(6)
    X = make(rng)
    codes = rng.permutation(np.minimum(np.arange(len(X)) // 8, n_classes - 1))
    a, b = both(lambda: rl.relieff(X, None, codes, k=k))
    np.testing.assert_allclose(a.statistic, b.statistic, rtol=0, atol=1e-12)


def test_screening_computes_few_distances_again(both, monkeypatch):
    exact = []
    compute = rl.pair_distances
    monkeypatch.setattr(rl, "pair_distances", lambda *args: exact.append(1) or compute(*args))
    rng = np.random.default_rng(6)
    X, codes = rng.standard_normal((120, 40)), np.arange(120) % 2
    both(lambda: rl.relieff(X, None, codes))
    assert exact == [1], "only numpy needs them"


@pytest.mark.parametrize("p", [1, 63, 64, 65, 200, 1024, 1025, 5000])
@pytest.mark.parametrize("n", [2, 5, 128, 261])
@pytest.mark.parametrize("power", [1, 40])
def test_the_error_of_rounded_distances_is_within_its_bound(n, p, power):
    """Also if most values are tiny, because of a few large ones."""
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    X = np.random.default_rng(n).random((n, p)) ** power
    X[0], X[1] = 0.0, 1.0  # the largest sums
    order = np.random.default_rng(p).permutation(n)
    found = rounded.rounded_rows(X, order)
    near = rounded.matrix_of(found)
    exact = np.array([np.abs(row - X[order]).sum(axis=1) for row in X[order]])
    error = np.abs(near * found.unit - exact) / found.unit
    assert (error <= found.errors[:, None] + found.errors).all()
    assert found.errors.max() * found.unit < 2.5e-8 * p + 1e-7, "the bound is of use"


def test_a_few_large_values_leave_more_places_to_the_others():
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    X, order = np.random.default_rng(3).random((200, 300)), np.arange(200)
    even = rounded.rounded_rows(X, order)
    skewed = rounded.rounded_rows(X**50, order)
    assert skewed.errors.max() * skewed.unit < even.errors.max() * even.unit / 2


@pytest.mark.parametrize("seed", [23, 54, 65])
def test_sums_of_many_features_do_not_break_ties(both, seed):
    """The sums differ by their last digits: rounded to 12 decimals, some ties were none."""
    rng = np.random.default_rng(seed)
    X, codes = rng.normal(size=(40, 1500)).round(), rng.integers(0, 4, 40)
    a, b = both(lambda: rl.relieff(X, None, codes, k=5).statistic)
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-13)


def test_nearest_rows(both):
    rng = np.random.default_rng(2)
    # Few distinct values, so that many distances are equal.
    X, codes = rng.integers(0, 3, (80, 9)) / 2, rng.integers(0, 2, 80)
    a, b = both(lambda: rl.nearest_hit_and_miss(X, None, codes))
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("order", "CF")
def test_quantiles(both, order):
    rng = np.random.default_rng(8)
    X = np.asarray(rng.standard_normal((900, 12)), order=order)
    X[:, ::3] = X[:, ::3].round(1)
    X[rng.random(X.shape) < 0.1] = NAN
    X[:, 4] = NAN
    q = np.array([0, 0.1, 0.5, 1])
    a, b = both(lambda: quantiles(X, q))
    np.testing.assert_array_equal(a, b)
    np.testing.assert_allclose(a[:, :4], np.nanquantile(X[:, :4], q, axis=0), rtol=1e-14)


def test_a_label_that_is_constant_where_values_are_known_has_no_spread(both):
    X = np.random.default_rng(4).standard_normal((300, 5))
    y = np.where(np.arange(300) < 100, 0.1, 1e6)
    X[100:, 2] = NAN
    for moments in both(lambda: m.CrossMoments.of(X, y)):
        assert moments.without_label_noise(1e6).ss_y[2] == 0


@pytest.mark.parametrize("rows", [3, 40])
def test_the_first_known_value_may_come_late_or_never(both, rows):
    X = np.random.default_rng(4).standard_normal((80, 4))
    X[:rows, 1] = NAN
    X[:, 2] = NAN
    codes = np.arange(80) % 2
    a, b = both(lambda: m.ClassMoments.of(X, codes, 2))
    _assert_same(a, b, ("count", "offset", "ss"))
    assert b.count[:, 2].tolist() == [0, 0]


def test_numba_that_is_loaded_takes_smaller_jobs_of_the_same_bits(monkeypatch):
    monkeypatch.setattr(kernels, "_numba_works", lambda: True)
    X = np.ones((kernels.LOADED // 1024, 1024), dtype=np.int8)
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    assert not kernels.take_table(X)
    assert not kernels.take_ranks(X.size)
    monkeypatch.setitem(sys.modules, "numba", sys)
    assert kernels.take_table(X)
    assert kernels.take_ranks(X.size)
    assert not kernels.take_values(X.size)
    assert not kernels.take_holes(X)


def test_only_the_size_decides(monkeypatch):
    monkeypatch.delitem(sys.modules, "numba", raising=False)
    monkeypatch.setattr(kernels, "_numba_works", lambda: True)
    large = np.broadcast_to(np.float64(1), (kernels.TABLE // 1024, 1024))
    assert not kernels.take_table(large), "not stored in one piece"
    assert not kernels.take_table(np.ones((10, 10)))
    assert kernels.take_table(np.ones(large.shape, dtype=np.int8))
    assert kernels.take_pairs(kernels.PAIRS)
    assert not kernels.take_pairs(kernels.PAIRS - 1)
    monkeypatch.setattr(kernels, "_numba_works", lambda: False)
    assert not kernels.take_pairs(kernels.PAIRS)


def test_small_jobs_do_not_import_numba():
    code = (
        "import sys, numpy as np\n"
        "from fsops.algorithms.filters import univariate\nfrom fsops.algorithms.neighbors import relief\nfrom fsops.algorithms.statistics import information\n"
        "X = np.random.default_rng(0).standard_normal((200, 2000)); y = np.arange(200) % 2\n"
        "univariate.welch_t(X, y); univariate.pearson(X, y * 1.0)\n"
        "information.mutual_information((X > 0).astype(np.int8), y)\n"
        "relief.relieff(X[:, :50], None, y)\n"
        "print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_broken_numba_is_as_good_as_none(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    kernels._numba_works.cache_clear()
    try:
        assert not kernels.take_pairs(kernels.PAIRS)
    finally:
        kernels._numba_works.cache_clear()


def test_each_file_beside_a_kernel_counts_for_what_is_cached(tmp_path):
    def digest():
        kernels.digest_of.cache_clear()
        return kernels.digest_of(tmp_path)

    try:
        digests = [digest()]
        for name, text in [("a.py", "STEP = 1"), ("b.py", ""), ("a.py", "STEP = 2")]:
            (tmp_path / name).write_text(text)
            digests.append(digest())
        assert len({*digests}) == 4
        (tmp_path / "b.cpython-311.pyc").write_text("made of a file")
        assert digest() == digests[-1]
    finally:
        kernels.digest_of.cache_clear()


def test_kernels_take_nothing_from_other_packages():
    folder = Path(kernels.__file__).parent
    taken = {
        node.module
        for file in folder.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("fsops.")
    }
    others = {name for name in taken if not name.startswith(kernels.__name__)}
    assert others == {"fsops.algorithms.base.types", "fsops.version"}  # types, in annotations only


@pytest.mark.slow
def test_a_changed_constant_of_another_file_compiles_a_kernel_again(tmp_path):
    pytest.importorskip("numba", reason="the kernels need numba", exc_type=ImportError)
    package = Path(fsops.__file__).parent
    shutil.copytree(package, tmp_path / "fsops", ignore=shutil.ignore_patterns("__pycache__"))
    folder = tmp_path / "fsops" / "algorithms" / "base" / "compiled"
    (folder / "stepped.py").write_text(
        "from fsops.algorithms.base.compiled import _compiled\n"
        "from fsops.algorithms.base.compiled.steps import STEP\n"
        "@_compiled\n"
        "def stepped(number):\n    return number + STEP\n"
    )
    code = "from fsops.algorithms.base.compiled.stepped import stepped; print(stepped(40))"
    results = []
    for step in (1, 1, 2):
        (folder / "steps.py").write_text(f"STEP = {step}\n")
        done = subprocess.run(
            [sys.executable, "-B", "-c", code],  # a file of the same size and second
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        results.append(int(done.stdout))
    assert results == [41, 41, 42]
    assert len(list(folder.rglob("stepped.stepped_*.nbi"))) == 2  # the second run had the first's


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("every", [2, 5, 61, 1999])
def test_missing_values_in_few_or_many_of_several_thousand_attributes(both, order, every):
    rng = np.random.default_rng(every)
    X = np.asarray(rng.standard_normal((23, 4999)) + 50, order=order)
    holes = np.arange(4999) % every == 1
    X[:, holes] = np.where(rng.random((23, holes.sum())) < 0.2, np.nan, X[:, holes])
    X[:, 1] = X[:, 1 + every] = np.nan  # no value at all, and only in one class
    X[::2, 1 + every] = 3.0
    codes, y = np.arange(23) % 2, rng.standard_normal(23)
    a, b = both(lambda: m.ClassMoments.of(X, codes, 2))
    _assert_same(a, b, ("count", "origin", "offset", "ss"))
    # An attribute without missing values has the bits of a table without any.
    complete = m.ClassMoments.of(X[:, ~holes], codes, 2)
    np.testing.assert_array_equal(b.ss[:, ~holes], complete.ss)
    c, d = both(lambda: m.CrossMoments.of(X, y))
    _assert_same(c, d, ("count", "mean_x", "mean_y", "ss_x", "ss_y", "cross"))
    np.testing.assert_array_equal(d.cross[~holes], m.CrossMoments.of(X[:, ~holes], y).cross)


@pytest.mark.parametrize("order", "CF")
def test_a_label_that_is_constant_beside_the_known_values_has_no_spread(both, order):
    rng = np.random.default_rng(3)
    X = np.asarray(rng.standard_normal((40, 19)), order=order)
    y = np.where(np.arange(40) < 7, 0.1, 1e5 + 1 / 3)
    X[:7, 4] = np.nan
    for found in both(lambda: m.CrossMoments.of(X, y)):
        assert found.without_label_noise(1e5).ss_y[4] == 0
