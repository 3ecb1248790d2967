"""Ordered categories: declared by readers and pandas, stored in files, used by the clinical kernel."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet, operators
from fsops.algorithms.kernel.clinical import clinical_kernel
from fsops.data import ValueType
from fsops.errors import DataError
from fsops.operators.weighting.kernel import clinical_rows, in_table_order

STAGES = ("I", "II", "III", "IV")


@pytest.fixture
def table():
    rng = np.random.default_rng(9)
    n = 40
    stage = rng.integers(0, 4, n)
    frame = pd.DataFrame(
        {
            "sex": np.array(["f", "m"])[rng.integers(0, 2, n)],
            "stage": pd.Categorical.from_codes(stage, STAGES, ordered=True),
            "age": rng.integers(30, 80, n).astype(float),
            "y": np.where(stage + rng.normal(size=n) > 1.5, "ill", "well"),
        }
    )
    frame.loc[3, "stage"] = None
    frame.loc[4, "age"] = np.nan
    return ExampleSet.from_pandas(frame, roles={"y": "label"})


def stage_of(examples):
    return examples.schema.attribute("stage")


def test_ordered_categories_of_pandas_are_ordinal_and_return_to_it(table):
    assert stage_of(table).value_type is ValueType.ORDINAL
    assert stage_of(table).categories == STAGES
    back = table.to_pandas()["stage"]
    assert back.cat.ordered
    assert tuple(back.cat.categories) == STAGES
    assert ExampleSet.from_pandas(table.to_pandas(), roles={"y": "label"}).equals(table)
    assert table.schema.attribute("sex").value_type is ValueType.BINOMINAL


@pytest.mark.parametrize("ending", ["parquet", "arff"])
def test_files_keep_the_order(table, tmp_path, ending):
    file = str(tmp_path / f"table.{ending}")
    few = table.take(np.flatnonzero(table.column("stage") != 3))  # a category without rows
    write, read = (getattr(operators, f"{verb}_{ending}") for verb in ("write", "read"))
    write(few, path=file)
    again = read(path=file)
    assert stage_of(again).value_type is ValueType.ORDINAL
    assert stage_of(again).categories == STAGES
    assert again.column("stage").tolist() == few.column("stage").tolist()


def test_a_reader_takes_the_order_in_the_type(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("grade,score,y\nlow,10,a\nhigh,9,b\n,2,a\nmiddle,10,b\n", encoding="utf-8")
    types = {"grade": "ordinal(low < middle < high)", "score": "ordinal"}
    read = operators.read_csv(path=str(file), roles={"y": "label"}, types=types)
    grade, score = (read.schema.attribute(name) for name in ("grade", "score"))
    assert grade.categories == ("low", "middle", "high")
    assert read.column("grade").tolist() == [0, 2, -1, 1]
    assert score.categories == ("2", "9", "10")  # by number, not by name
    assert grade.value_type is score.value_type is ValueType.ORDINAL


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("ordinal(low < high)", 'lacks "middle"'),
        ("ordinal(low < middle < high < low)", "names a category twice"),
        ("ordinal", "the order of its categories is unknown"),
        ("ordinl", "is not a value type"),
    ],
)
def test_an_order_that_cannot_be_is_refused(wanted, said):
    frame = pd.DataFrame({"grade": ["low", "middle", "high"]})
    with pytest.raises(DataError, match=said):
        ExampleSet.from_pandas(frame, types={"grade": wanted})


def kernel_of_the_paper(frame, age_range):
    """Return the clinical kernel of Daemen & De Moor: nominal, ordinal, continuous."""
    n = len(frame)
    result = np.zeros((n, n))
    rows = frame.to_dict("records")
    for i, one in enumerate(rows):
        for j, two in enumerate(rows):
            parts = [float(one["sex"] == two["sex"])]
            if isinstance(one["stage"], str) and isinstance(two["stage"], str):
                apart = abs(STAGES.index(one["stage"]) - STAGES.index(two["stage"]))
                parts.append((len(STAGES) - 1 - apart) / (len(STAGES) - 1))
            if not (np.isnan(one["age"]) or np.isnan(two["age"])):
                parts.append((age_range - abs(one["age"] - two["age"])) / age_range)
            result[i, j] = sum(parts) / 3
    return result


def test_the_clinical_kernel_has_the_three_kinds_of_the_paper(table):
    frame = table.to_pandas()
    frame["stage"] = frame["stage"].astype(object)
    expected = kernel_of_the_paper(frame, np.nanmax(frame["age"]) - np.nanmin(frame["age"]))
    assert clinical_kernel(clinical_rows(table)) == pytest.approx(expected)
    # The range is that of all categories, also if the rows have few of them.
    few = table.take(np.flatnonzero(np.isin(table.column("stage"), [0, 1])))
    rows = np.flatnonzero(np.isin(table.column("stage"), [0, 1]))
    part = frame.iloc[rows]
    expected = kernel_of_the_paper(part, np.nanmax(part["age"]) - np.nanmin(part["age"]))
    assert clinical_kernel(clinical_rows(few)) == pytest.approx(expected)


def test_weights_of_the_kernel_stay_with_their_attributes(table):
    # The kernel has numbers and ordered categories first.
    assert in_table_order(table, np.array([1.0, 2.0, 3.0])).tolist() == [3.0, 1.0, 2.0]
    weights = operators.weight_by_mkl(table)
    assert weights.names[int(np.argmax(weights.values))] == "stage"


@pytest.mark.parametrize("learner", ["k_nn", "support_vector_machine"])
def test_models_use_the_order_and_a_new_category_is_like_nothing(table, learner):
    if learner == "k_nn":
        model = operators.k_nn(table, number_of_neighbors=3, metric="clinical")
    else:
        model = operators.support_vector_machine(table, kernel_type="clinical").model
    predicted = operators.apply_model(model, table)
    assert operators.performance(predicted)["accuracy"].mean > 0.7
    frame = table.to_pandas().head(2)
    unknown = frame.assign(stage=pd.Categorical(["V", "V"], [*STAGES, "V"], ordered=True))
    missing = frame.assign(stage=pd.Categorical([None, None], STAGES, ordered=True))
    answers = [
        operators.apply_model(model, ExampleSet.from_pandas(new, roles={"y": "label"}))
        for new in (unknown, missing)
    ]
    confidences = [answer.column("confidence(ill)").tolist() for answer in answers]
    assert confidences[0] == pytest.approx(confidences[1])


def test_other_methods_take_them_as_categories(table):
    plain = table.to_pandas()
    plain["stage"] = plain["stage"].cat.as_unordered()
    unordered = ExampleSet.from_pandas(plain, roles={"y": "label"})
    one, other = (
        operators.weight_by_information_gain(t.drop(["age"]), missing="category").values
        for t in (table, unordered)
    )
    assert one.tolist() == other.tolist()
    kept = operators.select_attributes(
        table, attribute_filter_type="value_type", value_type="ordinal"
    )
    assert list(getattr(kept, "examples", kept).schema.regular_names) == ["stage"]
