"""The expression language: what it understands, what it refuses, and that it cannot do harm."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from fsops import ExampleSet
from fsops.data import ValueType
from fsops.data.expression import Expression
from fsops.errors import FsopsError, ParameterError


@pytest.fixture
def table():
    frame = pd.DataFrame(
        {
            "a": [1.0, -2.5, np.nan, 4.0],
            "b": [2.0, 3.0, 5.0, np.nan],
            "n": [1, 2, 3, 4],
            "blood pressure": [80.0, 90.0, 100.0, 110.0],
            "sex": ["f", "m", None, "f"],
            "day": pd.to_datetime(["2024-01-01", "2024-02-01", None, "2024-03-01"]),
        }
    )
    return ExampleSet.from_pandas(frame, types={"sex": "nominal"})


def values(words, table):
    attribute, stored = Expression.parse(words).column("new", table)
    if attribute.value_type.is_nominal:
        return [(*attribute.categories, None)[code] for code in stored]
    return stored.tolist()


# --- numbers ----------------------------------------------------------------------------------

NAMES = ("a", "b", "c")
LEAVES = st.sampled_from([*NAMES, "2", "0.5", "7"])
ARITHMETIC = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(
            lambda parts: f"({' '.join(parts)})"
        ),
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(" ".join),
        inner.map(lambda part: f"-({part})"),
    ),
    max_leaves=12,
)


@given(words=ARITHMETIC, seed=st.integers(0, 99))
@settings(max_examples=60, deadline=None)
def test_arithmetic_is_pandas_arithmetic(words, seed):
    frame = pd.DataFrame(np.random.default_rng(seed).normal(size=(5, 3)), columns=list(NAMES))
    expected = np.broadcast_to(frame.eval(words, engine="python"), 5)
    try:
        expression = Expression.parse(words)
    except ParameterError as error:  # a constant part divides by zero
        assert "not a finite number" in str(error)  # noqa: PT017
        return
    found = expression.evaluate(ExampleSet.from_pandas(frame)).stored(5)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("2 + 3 * 4", 14),
        ("-2 ^ 2", -4),
        ("2 ^ 3 ^ 2", 512),
        ("2 ** 3", 8),
        ("-7 % 3", -1),  # Java's remainder, as RapidMiner has it
        ("mod(7, -3)", 1),
        ("round(2.5) + round(-2.5)", 1),
        ("round(0.49999999999999994)", 0),
        ("log(1000)", 3),
        ("ln(exp(2))", 2),
        ("log2(8) + ld(8) + log10(10)", 7),
        ("max(1, 5, 3) - min(4, 2)", 3),
        ("avg(1, 2, 6) + sum(1, 2)", 6),
        ("floor(-1.5) + ceil(1.2) + sgn(-3)", -1),
        ("abs(-3) + sqrt(16) + pow(2, 5)", 39),
        ("sin(0) + cos(0) + tan(0) + atan2(0, 1)", 1),
        ("if(1 < 2, 10, 20)", 10),
        ("length('four')", 4),
        (".5e1 + 1.", 6),
    ],
)
def test_constants_by_hand(words, expected, table):
    assert values(words, table) == pytest.approx([expected] * 4)


def test_functions_are_numpys(table):
    rng = np.random.default_rng(3)
    x = rng.uniform(0.1, 0.9, 6)
    data = ExampleSet.from_numpy(x[:, None], names=["x"])
    theirs = {
        "ln": np.log,
        "log": np.log10,
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
    }
    theirs |= {n: getattr(np, n) for n in ("exp", "sqrt", "sinh", "cosh", "tanh", "sin", "tan")}
    for name, function in theirs.items():
        assert values(f"{name}(x)", data) == function(x).tolist(), name


def test_whole_numbers_stay_whole_where_they_can(table):
    def kind(words):
        return Expression.parse(words).attribute_for("new", table.schema).value_type

    assert kind("n * 2 + 1 - n % 3") == ValueType.INTEGER
    assert kind("max(n, 3)") == kind("round(a)") == kind("length(sex)") == ValueType.INTEGER
    assert kind("n / 2") == kind("n + 0.5") == kind("n ^ 2") == kind("n + a") == ValueType.REAL


# --- missing values ---------------------------------------------------------------------------


def test_missing_values_spread_through_calculations(table):
    assert np.isnan(values("a + b", table)).tolist() == [False, False, True, True]
    assert np.isnan(values("max(a, b)", table)).tolist() == [False, False, True, True]
    assert values("upper(sex)", table) == ["F", "M", None, "F"]
    assert np.isnan(values("length(sex)", table)).tolist() == [False, False, True, False]


@pytest.mark.parametrize("words", ["a == 1", "a != 1", "a < 1", "a <= 1", "a > 1", "a >= 1"])
def test_every_comparison_with_a_missing_number_is_false(words, table):
    assert values(words, table)[2] == "false"
    assert values(f"not ({words})", table)[2] == "true"


def test_missing_nominal_values_equal_nothing(table):
    assert values('sex == "f"', table) == ["true", "false", "false", "true"]
    assert values('sex != "f"', table) == ["false", "true", "false", "false"]
    assert values('contains(sex, "f")', table)[2] == "false"
    assert values("missing(sex) or missing(a)", table) == ["false", "false", "true", "false"]


def test_missing_values_can_be_put_in(table):
    found = values("if(n > 2, n, MISSING_NUMERIC)", table)
    assert found[2:] == [3, 4]
    assert np.isnan(found[:2]).all()
    assert values('if(n > 2, "high", MISSING_NOMINAL)', table) == [None, None, "high", "high"]


# --- text, dates, logic -----------------------------------------------------------------------


def test_texts_and_names(table):
    assert values('[blood pressure] > 85 && sex == "m"', table) == [
        "false",
        "true",
        "false",
        "false",
    ]
    assert values("if(sex = 'f', \"wo\", '') + \"man\"", table) == ["woman", "man", "man", "woman"]
    assert values('concat("<", sex, ">")', table) == ["<f>", "<m>", None, "<f>"]
    assert values("concat(sex, sex)", table) == ["ff", "mm", None, "ff"]
    assert values(r'"say \"yes\"" == "say \"yes\""', table) == ["true"] * 4
    assert (
        values('starts("abc", "ab") and ends("abc", "bc") and trim(" x ") == "x"', table)
        == ["true"] * 4
    )


def test_names_in_brackets_may_hold_anything():
    data = ExampleSet.from_numpy([[1.0, 2.0, 3.0]], names=["a]b", "if", "x.y [1]"])
    assert values(r"[a\]b] + [if] + [x.y [1\]]", data) == [6]
    assert Expression.parse("[if] + [if] + z").names == ("if", "z")


def test_dates_are_compared_with_dates_and_with_text(table):
    assert values('day >= "2024-02-01"', table) == ["false", "true", "false", "true"]
    assert values('"2024-02-01" > day', table) == ["true", "false", "false", "false"]
    assert values("day == day", table) == ["true", "true", "false", "true"]
    with pytest.raises(ParameterError, match='"soon" is none. Write dates such as 2031-12-24'):
        values('day > "soon"', table)


def test_signs_and_words_mean_the_same(table):
    one = values('!(a > 0 && b > 2) || n <> 3 && sex = "f"', table)
    assert one == values('not (a > 0 and b > 2) or n != 3 and sex == "f"', table)
    assert values("true == !false", table) == ["true"] * 4  # ! binds as in Java


def test_categories_are_known_without_rows(table):
    words = 'if(a > 0, "up", if(b > 0, lower("DOWN"), "flat"))'
    attribute = Expression.parse(words).attribute_for("new", table.schema)
    assert attribute.categories == ("down", "flat", "up")
    assert Expression.parse(words).column("new", table)[0] == attribute
    assert Expression.parse("concat(sex, sex)").attribute_for("new", table.schema) is None
    truth = Expression.parse("a > 0").attribute_for("new", table.schema)
    assert truth.categories == ("false", "true")
    assert Expression.parse("a > 0").type_for(table.schema) == "true or false"
    assert Expression.parse("sex").type_for(table.schema) == "nominal"


def test_expressions_travel(table):
    again = pickle.loads(pickle.dumps(Expression.parse("if(a > 0, n, -n)")))
    assert again.evaluate(table).data.tolist() == [1, -2, -3, 4]


def test_texts_of_text_attributes_are_understood(table):
    data = ExampleSet.from_pandas(pd.DataFrame({"t": ["x y", None, "z"]}), types={"t": "text"})
    assert values('contains(t, "y")', data) == ["true", "false", "false"]
    assert values("upper(t)", data) == ["X Y", None, "Z"]


# --- mistakes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "The expression is empty"),
        ("a +", 'At the end of "a +": something is missing'),
        ("(a", "a closing parenthesis is missing"),
        ("a b", 'At character 3 of "a b": "b" is not allowed here'),
        ("a )", 'At character 3 of "a )": ")" is not allowed here'),
        ("a , b", '"," is not allowed here'),
        ("sqr(a)", 'character 1 of "sqr(a)": there is no function "sqr". Did you mean "sqrt"?'),
        ("abs(a, b)", '"abs" takes 1 value, not 2'),
        ("if(a > 1, 2)", '"if" takes 3 values, not 2'),
        ("min()", '"min" takes 1 or more values, not 0'),
        ("1 < a < 3", 'At character 7 of "1 < a < 3": a comparison cannot go on'),
        ('a == "x"', '"==" compares a number with text'),
        ('sex > "f"', '">" cannot order text'),
        ("a and b", '"and" needs true or false, but the first value is a number'),
        ("n + sex", 'At character 3 of "n + sex": "+" adds two numbers or joins two texts'),
        ("-sex", '"-" needs numbers, but the value is text'),
        ("if(a > 1, 2, 'x')", "gives a number or text, but both must be of one kind"),
        ('"open', "The quotation mark is not closed"),
        ("[open", "The square bracket is not closed"),
        ("1 / 0", 'the result of "/" is not a finite number'),
        ("sqrt(-1)", 'the result of "sqrt" is not a finite number'),
        ("a + not b", '"not" is not allowed here. Put it into parentheses'),
        ("contains(sex, sex)", "needs a text in quotes as the second value"),
        ("petal.length", "Write names with dots or spaces in square brackets"),
        ("a | b", "Write || or the word"),
    ],
)
def test_mistakes_are_told_with_their_place(words, said, table, refused):
    with refused(said, error=ParameterError):
        Expression.parse(words).evaluate(table)


def test_unknown_attributes_are_told(table, refused):
    with refused('At character 5 of "1 + [blood presure]"', 'Did you mean "blood pressure"?'):
        Expression.parse("1 + [blood presure]").evaluate(table)
    with refused('there is no attribute "yes"', 'Write text in quotes, as in "yes"'):
        Expression.parse("sex == yes").type_for(table.schema)


def test_conditions_must_be_true_or_false(table, refused):
    with refused('The condition "a + 1" gives a number', error=ParameterError):
        Expression.parse("a + 1").mask(table)
    with refused("gives text, but must be true or false", error=ParameterError):
        Expression.parse("sex").check_condition(table.schema)
    assert Expression.parse("true").mask(table).tolist() == [True] * 4


# --- safety -----------------------------------------------------------------------------------

HOSTILE = {
    "attribute access": "a.__class__",
    "access of a text": '"".__class__.__bases__[0]',
    "access of a number": "(1).real",
    "import": '__import__("os")',
    "eval": 'eval("1")',
    "getattr": 'getattr(a, "b")',
    "call of a result": "abs(1)(2)",
    "call of an attribute": "[abs](1)",
    "lambda": "lambda: 1",
    "comprehension": "[x for x in a]",
    "assignment": "(a := 1)",
    "keyword": "abs(x=**a)",
    "star": "max(*a)",
    "f-string": 'f"{a}"',
    "subscript": "a[0]",
    "set": "{1, 2}",
    "tuple": "(1, 2)",
    "conditional": "1 if 2 else 3",
    "huge power": "10**10**10",
    "huge tower": "^".join(["9"] * 900),
    "huge number": "9" * 9000,
    "huge exponent": "1e" + "9" * 5000,
    "deep nesting": "(" * 3000 + "1" + ")" * 3000,
    "deep calls": "abs(" * 1000 + "1" + ")" * 1000,
    "long text": "a" * 1_000_000,
    "many terms": "+".join(["1"] * 4000),
    "null byte": "a\0b",
    "line break": "a\nimport os",
    "unclosed quotes": '"' + "\\" * 9001,
    "long product of texts": '"x" * 10',
}  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_with_a_sentence_and_at_once(name, table):
    with pytest.raises(FsopsError) as caught:
        Expression.parse(HOSTILE[name]).evaluate(table)
    message = str(caught.value)
    assert message[-1] in ".?"
    assert len(message) < 600


@pytest.mark.parametrize(
    "words",
    ["-" * 1900 + "1", "not " * 1900 + "true", "+".join(["n"] * 999), "^".join(["n"] * 999)],
)
def test_long_chains_are_answered(words, table):
    try:
        assert len(values(words, table)) == 4
    except ParameterError as error:
        assert "too complicated" in str(error)  # noqa: PT017 - an older Python may give up


def test_texts_cannot_grow_without_bound():
    data = ExampleSet.from_pandas(pd.DataFrame({"t": ["y" * 4000, "z"]}), types={"t": "nominal"})
    assert len(values("concat(t, t)", data)[0]) == 8000
    with pytest.raises(ParameterError, match="a text of more than 10000 characters"):
        Expression.parse("concat(t, t, t)").evaluate(data)


@given(words=st.text(alphabet="ab1.()[]\"'+-*/%^&|!<>=, \\notandifmx", max_size=25))
@settings(max_examples=300, deadline=None)
def test_whatever_is_written_is_answered(words):
    data = ExampleSet.from_numpy(np.ones((2, 2)), names=["a", "b"])
    try:
        found = Expression.parse(words).evaluate(data)
    except FsopsError as error:
        assert str(error)[-1] in ".?"  # noqa: PT017
    else:
        assert found.stored(2).shape == (2,)
