"""Trees and forests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.trees import multiway
from fsops.algorithms.trees.multiway import FittedTree, Growth
from fsops.algorithms.trees.single import Moved
from fsops.core import Accepts, Aliases, Context, When, operator
from fsops.data import EstimatorPredictor, ExampleSet, PredictionModel
from fsops.data.dates import dates_as_numbers
from fsops.data.model import require_finite
from fsops.data.row_weights import has_whole_weights, repeated
from fsops.errors import ParameterError
from fsops.operators.modeling.estimators import (
    TRAINING_PORT,
    Learned,
    describe_learned,
    fitted_predictor,
    has_classes,
    seed_of,
)

GROUP = "Modeling/Trees"
COMPLETE = Accepts(label="any", attributes="numerical, nominal or date")
WITH_HOLES = Accepts(label="any", attributes="numerical, nominal or date", missing=True)

Trees = Annotated[int, Field(ge=1, description="Number of trees.")]
MaximalDepth = Annotated[
    Annotated[int, Field(ge=1)] | None,
    Field(description="Depth at which trees stop growing; empty for no limit."),
]
LeafSize = Annotated[int, Field(ge=1, description="Fewest rows in a leaf.")]


# --- numbers and categories -------------------------------------------------------------------


@dataclass(frozen=True)
class Questions:
    """The columns that trees ask about: every number, and for every category whether it is it.

    A category that is missing, or was not there when the tree grew, is none of them.
    """

    owners: npt.NDArray[np.intp]
    """For each column its attribute, by its place among the regular ones."""
    codes: npt.NDArray[np.intp]
    """For each column after the numbers its category."""
    moved: Moved
    """Numbers that lose their digits in scikit-learn."""

    @classmethod
    def about(cls, examples: ExampleSet) -> Questions:
        """Return the columns for the regular attributes of a table."""
        schema, counts = examples.schema, examples.category_counts()
        numerical, nominal = (
            np.searchsorted(schema.regular, positions)
            for positions in (schema.regular_numerical, schema.regular_nominal)
        )
        codes = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        owners = np.concatenate([numerical, np.repeat(nominal, counts)])
        return cls(owners, codes, Moved.of(examples.numeric()))

    def matrix(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return the columns of a table with the same attributes; unknown numbers are NaN."""
        numbers = self.moved.values(examples.numeric())
        if not len(self.codes):
            return numbers
        schema = examples.schema
        nominal = schema.regular[self.owners[numbers.shape[1] :]]
        columns = np.searchsorted(schema.regular_nominal, nominal)
        answers = examples.nominal()[:, columns] == self.codes
        return np.concatenate([numbers, answers], axis=1)

    def by_attribute(self, importances: npt.NDArray[np.float64], n: int) -> npt.ArrayLike:
        """Return the sum of the importances of each of n attributes."""
        return np.bincount(self.owners, weights=importances, minlength=n)


@dataclass(frozen=True)
class TreePredictor:
    """Fitted trees of scikit-learn on numbers and categories."""

    trees: EstimatorPredictor
    questions: Questions
    holes: bool
    """Whether unknown numbers are understood."""
    label: Moved | None = None
    """A numerical label, which was moved for the trees; None for classes."""

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return confidences per class, or predicted numbers."""
        examples = dates_as_numbers(examples)
        numbers = examples.select(examples.schema.names_at(examples.schema.regular_numerical))
        if self.holes and numbers.missing_by_attribute:
            values = numbers.numeric()
            numbers = ExampleSet.from_numpy(
                np.where(np.isnan(values), 0.0, values), names=numbers.names
            )
        require_finite(numbers)
        answers = self.trees.of_matrix(self.questions.matrix(examples))
        return answers if self.label is None else self.label.predictions(answers)


def _grown(
    estimator: Any, examples: ExampleSet, name: str, ctx: Context, *, holes: bool = True
) -> Learned:
    """Return trees fitted on a table, and the contribution of each attribute to their gain."""
    if has_whole_weights(examples):  # the limits on sizes then count repeated rows
        examples = repeated(examples, name)
    known = dates_as_numbers(examples)
    questions, label = Questions.about(known), _moved_label(examples)
    y = label.label(examples.label_values()) if label else None
    trees = fitted_predictor(estimator, questions.matrix(known), examples, name, ctx=ctx, y=y)
    model = PredictionModel(TreePredictor(trees, questions, holes, label), examples.schema, name)
    shares = questions.by_attribute(estimator.feature_importances_, len(examples.schema.regular))
    return Learned(model, examples.weights(shares))


def _moved_label(examples: ExampleSet) -> Moved | None:
    """Return how a numerical label is moved for the trees; None for classes."""
    if examples.label.value_type.is_nominal:
        return None
    return Moved.of_label(examples.label_values())


# --- branches for categories -------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MultiwayPredictor:
    """A tree with one branch for each category."""

    tree: FittedTree

    def __call__(self, examples: ExampleSet) -> npt.NDArray[np.float64]:
        """Return confidences per class."""
        examples = dates_as_numbers(examples)
        examples.require_bounded()
        return self.tree.class_shares(examples.numeric(), examples.nominal().astype(np.intp))


def _multiway(examples: ExampleSet, growth: Growth, confidence: float | None) -> Learned:
    """Return a tree in the manner of C4.5, and the benefit of each attribute in it."""
    examples = repeated(examples, "The algorithm c4.5")
    known, codes = dates_as_numbers(examples), examples.label_values().astype(np.intp)
    schema, X, nominal = known.schema, known.numeric(), known.nominal().astype(np.intp)
    root = multiway.grow(multiway.TrainingRows(X, nominal, codes, len(examples.classes)), growth)
    if confidence is not None:
        multiway.prune(root, confidence)
    benefits = np.zeros(len(schema.regular))
    places = np.concatenate([schema.regular_numerical, schema.regular_nominal])
    owners = np.searchsorted(schema.regular, places)
    for node in root.walk():
        if node.feature >= 0:
            benefits[owners[node.feature]] += node.benefit
    total = benefits.sum()
    tree = FittedTree.of(root, X.shape[1])
    model = PredictionModel(MultiwayPredictor(tree), examples.schema, "Decision Tree")
    return Learned(model, examples.weights(benefits / total if total > 0 else benefits))


# --- the learners -----------------------------------------------------------------------------


@operator(
    group=GROUP,
    role="learner",
    row_weights="used",
    accepts=WITH_HOLES,
    describe=describe_learned,
    aliases=Aliases(
        keys=("parallel_decision_tree", "concurrency:parallel_decision_tree"), ports=TRAINING_PORT
    ),
    tags=("cart", "rules", "learner", "classifier", "regression", "importance"),
    random=True,
)
def decision_tree(
    examples: ExampleSet,
    *,
    algorithm: Annotated[
        Literal["cart", "c4.5"],
        Field(
            description="cart: binary splits; c4.5: a branch for each category, and pruning. A "
            "numerical label always uses cart."
        ),
    ] = "cart",
    criterion: Annotated[
        Literal["gini_index", "information_gain", "gain_ratio", "accuracy"],
        Field(
            description="Measure of a split of classes; the last two need c4.5. Splits for a "
            "numerical label are measured by their variance."
        ),
    ] = "gini_index",
    max_depth: MaximalDepth = 20,
    min_size_for_split: Annotated[
        int, Field(ge=2, description="Fewest rows of a node that is split.")
    ] = 4,
    min_leaf_size: LeafSize = 2,
    min_gain: Annotated[
        float,
        Field(
            ge=0,
            description="Smallest gain for a split. The gain of cart is the decrease of impurity "
            "over all rows, that of c4.5 a gain ratio or a fraction of the node's impurity.",
        ),
    ] = 0.0,
    apply_prepruning: Annotated[
        bool,
        When(algorithm="c4.5"),
        Field(description="Keep the limits of gain and sizes; otherwise only the depth counts."),
    ] = True,
    number_of_prepruning_alternatives: Annotated[
        int,
        When(algorithm="c4.5"),
        Field(
            ge=0,
            description="Number of further attributes to try if the branches of the best are too "
            "small.",
        ),
    ] = 3,
    apply_pruning: Annotated[
        bool,
        When(algorithm="c4.5"),
        Field(description="Replace branches by a leaf where they do not lower the error limit."),
    ] = True,
    confidence: Annotated[
        float,
        When(algorithm="c4.5"),
        Field(gt=0, le=0.5, description="Confidence level of pruning; smaller prunes more."),
    ] = 0.1,
    ctx: Context,
) -> Learned:
    """Decision Tree

    Predicts by a tree of questions about single attributes, each with two answers. Needs no
    scaling, and can be read as rules. The weights are the contributions of each attribute to the
    decrease of impurity.

    A nominal attribute gives one question per category: does the row have it? The weight of the
    attribute is the sum over its categories. For a missing category, or one that the training rows
    do not have, the answer "no" is taken. Rows with a missing number take the branch that fitted
    best in training; if no number was missing in training, they take the larger branch. Dates are
    used as numbers.

    A single tree changes much with few rows: a Random Forest predicts better. If several splits are
    equally good, a random one is used, which depends on the seed of the process.

    With the algorithm c4.5 the tree is grown and pruned as in RapidMiner: a number is cut in two, a
    category opens one branch per value, missing values form a branch, and the first of equally
    good attributes is used. A row without a branch gets the classes of the node where it stops.
    The weights are the fractions of each attribute in the sum of the benefits of all splits.

    References
    ----------
    - Breiman, Friedman, Olshen, Stone (1984): Classification and Regression Trees.
    - Quinlan (1993): C4.5: Programs for Machine Learning.
    """
    if algorithm == "c4.5" and examples.label.value_type.is_nominal:
        growth = Growth(
            criterion=criterion,
            least_gain=min_gain,
            depth=max_depth,
            least_split=min_size_for_split,
            least_leaf=min_leaf_size,
            alternatives=number_of_prepruning_alternatives if apply_prepruning else 0,
            limited=apply_prepruning,
        )
        return _multiway(examples, growth, confidence if apply_pruning else None)
    if criterion not in ("gini_index", "information_gain"):
        raise ParameterError(
            f'criterion is "{criterion}", which cart does not have.',
            hint="Set algorithm to c4.5, or criterion to gini_index or information_gain.",
        )
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    limits = {
        "max_depth": max_depth,
        "min_samples_split": min_size_for_split,
        "min_samples_leaf": min_leaf_size,
        "min_impurity_decrease": min_gain,
        "random_state": seed_of(ctx, "tree"),
    }
    if examples.label.value_type.is_nominal:
        kind = "gini" if criterion == "gini_index" else "entropy"
        tree = DecisionTreeClassifier(criterion=kind, **limits)
    else:
        if (label := _moved_label(examples)) and min_gain:
            limits["min_impurity_decrease"] = label.variance(min_gain)
        tree = DecisionTreeRegressor(**limits)
    return _grown(tree, examples, "Decision Tree", ctx)


@operator(
    group=GROUP,
    role="learner",
    row_weights="used",
    accepts=WITH_HOLES,
    describe=describe_learned,
    aliases=Aliases(keys=("concurrency:parallel_random_forest",), ports=TRAINING_PORT),
    tags=("ensemble", "bagging", "decision trees", "learner", "classifier", "regression"),
    random=True,
)
def random_forest(
    examples: ExampleSet,
    *,
    number_of_trees: Trees = 100,
    max_depth: MaximalDepth = None,
    min_leaf_size: LeafSize = 1,
    ctx: Context,
) -> Learned:
    """Random Forest

    Predicts by the vote of many trees, each grown on a bootstrap of the rows and random subsets of
    the attributes. Robust, needs no scaling, finds interactions. The weights are the contributions
    of each attribute to the decrease of impurity. Nominal attributes and missing values are treated
    as in Decision Tree; an attribute of many categories is drawn more often than others.

    With very many irrelevant attributes, selecting attributes first still helps. The result depends
    on the seed: more trees make it more stable.

    References
    ----------
    Breiman (2001): Random forests. Machine Learning 45, 5–32.
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    nominal = examples.label.value_type.is_nominal
    kind = RandomForestClassifier if nominal else RandomForestRegressor
    forest = kind(
        number_of_trees,
        max_depth=max_depth,
        min_samples_leaf=min_leaf_size,
        random_state=seed_of(ctx, "forest"),
    )
    return _grown(forest, examples, "Random Forest", ctx)


@operator(
    group=GROUP,
    role="learner",
    row_weights="used",
    accepts=COMPLETE,
    describe=describe_learned,
    aliases=Aliases(
        keys=("h2o:gradient_boosted_trees",),
        ports=TRAINING_PORT,
        parameters={"sample_rate": "sample_fraction"},
    ),
    tags=("gbm", "gbt", "ensemble", "learner", "classifier", "regression"),
    random=True,
)
def gradient_boosting(
    examples: ExampleSet,
    *,
    number_of_trees: Trees = 100,
    max_depth: MaximalDepth = 3,
    learning_rate: Annotated[
        float,
        Field(
            gt=0, le=1, description="Learning rate: the factor by which each tree is multiplied."
        ),
    ] = 0.1,
    sample_fraction: Annotated[
        float, Field(gt=0, le=1, description="Fraction of rows for each tree.")
    ] = 1.0,
    ctx: Context,
) -> Learned:
    """Gradient Boosting

    Predicts by a sum of small trees; each tree is fitted to the errors of the earlier trees. Often
    the most accurate of the tree methods. The weights are the contributions of each attribute to
    the decrease of impurity. Nominal attributes are treated as in Decision Tree. The training rows
    must be complete. In later rows a category may be missing or new, but numbers must be known.

    A small learning rate needs many trees; too many fit the noise. Slow with many attributes or
    classes: select first.

    References
    ----------
    Friedman (2001): Greedy function approximation: a gradient boosting machine. Annals of
    Statistics 29.
    """
    from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor

    kind = GradientBoostingClassifier if has_classes(examples) else GradientBoostingRegressor
    boosted = kind(
        n_estimators=number_of_trees,
        max_depth=max_depth,
        learning_rate=learning_rate,
        subsample=sample_fraction,
        random_state=seed_of(ctx, "boosting"),
    )
    return _grown(boosted, examples, "Gradient Boosting", ctx, holes=False)
