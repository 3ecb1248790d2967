"""Rule Induction as an operator."""

import fsops
from fsops.operators import retrieve, rule_induction


def test_rules_are_readable_and_decide_in_their_order():
    golf = retrieve(repository_entry="golf")
    with fsops.running(seed=1):
        model = rule_induction(golf, sample_fraction=1.0, pureness=1.0)
    found = model.to_pandas()
    assert found["if"].iloc[-1] == "else"
    assert any("Outlook = " in text or "Humidity" in text for text in found["if"])
    rows = found.filter(like="rows of ").to_numpy()[:-1]
    assert rows.sum() == 14 or rows.sum() + found.filter(like="rows of ").to_numpy()[-1].sum() == 14
    applied = model.apply(golf)
    right = [
        t == p
        for t, p in zip(
            *(applied.nominal_values(n) for n in ("Play", "prediction(Play)")), strict=True
        )
    ]
    assert sum(right) >= 12


def test_iris_is_predicted_well(iris, halves, predicted):
    train, test = halves(iris)
    with fsops.running(seed=2):
        model = rule_induction(train)
    assert (predicted(model, test) == test.label_values()).mean() > 0.85
