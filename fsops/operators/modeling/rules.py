"""Learners of rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.trees.rules import (
    ClassRule,
    Condition,
    Criterion,
    LabelledRows,
    RuleGrowth,
    learn_rules,
)
from fsops.core import Accepts, Context, operator
from fsops.data import ExampleSet, Model, PredictionModel, Schema
from fsops.operators.modeling.estimators import TRAINING, describe_model, has_classes

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class RulePredictor:
    """The first rule that covers a row decides."""

    rules: tuple[ClassRule, ...]

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return the class fractions of the training rows of the rule that covers each row."""
        X, nominal = examples.numeric(), examples.nominal().astype(np.intp)
        place = np.full(len(examples), len(self.rules) - 1)
        for number in reversed(range(len(self.rules))):
            place[self.rules[number].covers(X, nominal)] = number
        shares = np.array([rule.counts / rule.counts.sum() for rule in self.rules])
        found: npt.NDArray[np.float64] = shares[place]
        return found


class RuleModel(PredictionModel):
    """Rules that are tried one after the other; the first that covers a row decides."""

    title: ClassVar[str] = "Rules"

    def __init__(self, rules: tuple[ClassRule, ...], training: Schema, name: str) -> None:
        super().__init__(RulePredictor(rules), training, name)
        self.rules = rules

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with the conditions of each rule, its class, and the rows it covers."""
        import pandas as pd

        classes = self.label.categories
        rows = {
            "if": [" and ".join(map(self._text, rule.conditions)) or "else" for rule in self.rules],
            "then": [classes[int(rule.counts.argmax())] for rule in self.rules],
            **{
                f"rows of {name}": [int(rule.counts[code]) for rule in self.rules]
                for code, name in enumerate(classes)
            },
        }
        return pd.DataFrame(rows)

    def _text(self, condition: Condition) -> str:
        numbers = self.attributes.names_at(self.attributes.regular_numerical)
        if condition.relation != "=":
            return f"{numbers[condition.feature]} {condition.relation} {condition.value:.6g}"
        nominal = self.attributes.names_at(self.attributes.regular_nominal)
        name = nominal[condition.feature - len(numbers)]
        return f"{name} = {self.attributes.attribute(name).categories[int(condition.value)]}"


@operator(
    group="Modeling/Trees",
    role="learner",
    row_weights="whole numbers",
    accepts=Accepts(label="nominal", attributes="numerical or nominal", missing=True),
    describe=describe_model,
    aliases=TRAINING,
    tags=("ripper", "rules", "if then", "interpretable", "learner", "classifier"),
    random=True,
)
def rule_induction(
    examples: ExampleSet,
    *,
    criterion: Annotated[
        Criterion,
        Field(description="Measure of a condition: FOIL's information gain, or accuracy."),
    ] = "information_gain",
    sample_fraction: Annotated[
        float,
        Field(gt=0, le=1, description="Fraction of the rows to grow rules on; others prune."),
    ] = 0.9,
    pureness: Annotated[
        float,
        Field(gt=0, le=1, description="Fraction of one class at which a rule is complete."),
    ] = 0.9,
    min_prune_benefit: Annotated[
        float,
        Field(ge=0, le=1, description="Loss of accuracy on other rows that rejects a condition."),
    ] = 0.25,
    ctx: Context,
) -> Model:
    r"""Rule Induction

    Learns rules such as "if humidity > 77 and outlook = sunny then no", in the manner of RIPPER.
    They are easy to read and to check. Rules are tried in their order: the first one that covers a
    row decides, and the last one covers all rows that are left. The confidences are the class
    fractions among the training rows that the rule covers.

    Each rule is for the most frequent class of the rows that are not covered yet. It grows
    condition by condition, on a random part of the rows. A condition that lowers the accuracy on
    the other part by more than min_prune_benefit ends the rule. Missing values do not fulfil any
    condition. Few rows and many attributes make rules unstable: select attributes first, inside the
    training.

    .. math:: gain = p \left(\log_2 \frac{p + 1}{n + 1} - \log_2 \frac{P}{N}\right)

    p of the n covered rows are of the class, P of all N rows.

    References
    ----------
    Cohen (1995): Fast effective rule induction. ICML, 115–123.
    """
    has_classes(examples)
    codes = examples.label_values().astype(np.intp)
    nominal = examples.nominal().astype(np.intp)
    rows = LabelledRows(examples.numeric(), nominal, codes, len(examples.classes))
    growth = RuleGrowth(criterion, sample_fraction, pureness, min_prune_benefit)
    rules = learn_rules(rows, growth, ctx.rng("parts"))
    return RuleModel(tuple(rules), examples.schema, "Rule Induction")
