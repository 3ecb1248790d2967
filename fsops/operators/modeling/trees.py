"""Trees and forests."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsops.core import Accepts, Aliases, Context, operator
from fsops.data import ExampleSet
from fsops.operators.modeling.estimators import (
    ENCODE,
    TRAINING_PORT,
    Learned,
    describe_learned,
    fitted,
    has_classes,
    seed_of,
)

GROUP = "Modeling/Trees"
NUMBERS = Accepts(label="any", attributes="numerical", instead=ENCODE)

Trees = Annotated[int, Field(ge=1, description="Number of trees.")]
MaximalDepth = Annotated[
    Annotated[int, Field(ge=1)] | None,
    Field(description="Depth at which trees stop growing; empty for no limit."),
]
LeafSize = Annotated[int, Field(ge=1, description="Fewest rows in a leaf.")]


@operator(
    group=GROUP,
    accepts=NUMBERS,
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
    criterion: Annotated[
        Literal["gini_index", "information_gain"],
        Field(description="What a split of classes is judged by; numbers by their variance."),
    ] = "gini_index",
    maximal_depth: MaximalDepth = 20,
    minimal_size_for_split: Annotated[
        int, Field(ge=2, description="Fewest rows of a node that is split.")
    ] = 4,
    minimal_leaf_size: LeafSize = 2,
    minimal_gain: Annotated[
        float, Field(ge=0, description="Least decrease of impurity that is worth a split.")
    ] = 0.0,
    ctx: Context,
) -> Learned:
    """Decision Tree

    Predicts by questions about one attribute at a time, each with two answers. Needs no scaling,
    and can be read as rules. The weights are the shares of each attribute in the decrease of
    impurity.

    A single tree changes much with few rows: a Random Forest predicts better. Among equally good
    splits chance decides, with the seed of the process.

    References
    ----------
    Breiman, Friedman, Olshen, Stone (1984): Classification and Regression Trees.
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    limits = {
        "max_depth": maximal_depth,
        "min_samples_split": minimal_size_for_split,
        "min_samples_leaf": minimal_leaf_size,
        "min_impurity_decrease": minimal_gain,
        "random_state": seed_of(ctx, "tree"),
    }
    if examples.label.value_type.is_nominal:
        kind = "gini" if criterion == "gini_index" else "entropy"
        tree = DecisionTreeClassifier(criterion=kind, **limits)
    else:
        tree = DecisionTreeRegressor(**limits)
    model = fitted(tree, examples, "Decision Tree", ctx=ctx)
    return Learned(model, examples.weights(tree.feature_importances_))


@operator(
    group=GROUP,
    accepts=NUMBERS,
    describe=describe_learned,
    aliases=Aliases(keys=("concurrency:parallel_random_forest",), ports=TRAINING_PORT),
    tags=("ensemble", "bagging", "decision trees", "learner", "classifier", "regression"),
    random=True,
)
def random_forest(
    examples: ExampleSet,
    *,
    number_of_trees: Trees = 100,
    maximal_depth: MaximalDepth = None,
    minimal_leaf_size: LeafSize = 1,
    ctx: Context,
) -> Learned:
    """Random Forest

    Predicts by the vote of many trees, each grown on a bootstrap of the rows and random subsets of
    the attributes. Robust, needs no scaling, finds interactions. The weights are the shares of each
    attribute in the decrease of impurity.

    With very many irrelevant attributes a selection before still helps. Depends on chance: more
    trees are steadier.

    References
    ----------
    Breiman (2001): Random forests. Machine Learning 45, 5–32.
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    nominal = examples.label.value_type.is_nominal
    kind = RandomForestClassifier if nominal else RandomForestRegressor
    forest = kind(
        number_of_trees,
        max_depth=maximal_depth,
        min_samples_leaf=minimal_leaf_size,
        random_state=seed_of(ctx, "forest"),
    )
    model = fitted(forest, examples, "Random Forest", ctx=ctx)
    return Learned(model, examples.weights(forest.feature_importances_))


@operator(
    group=GROUP,
    accepts=NUMBERS,
    describe=describe_learned,
    aliases=Aliases(
        keys=("h2o:gradient_boosted_trees",),
        ports=TRAINING_PORT,
        parameters={"sample_rate": "sample_ratio"},
    ),
    tags=("gbm", "gbt", "ensemble", "learner", "classifier", "regression"),
    random=True,
)
def gradient_boosting(
    examples: ExampleSet,
    *,
    number_of_trees: Trees = 100,
    maximal_depth: MaximalDepth = 3,
    learning_rate: Annotated[
        float, Field(gt=0, le=1, description="How much of each tree is added.")
    ] = 0.1,
    sample_ratio: Annotated[
        float, Field(gt=0, le=1, description="Share of the rows that each tree sees.")
    ] = 1.0,
    ctx: Context,
) -> Learned:
    """Gradient Boosting

    Predicts by a sum of small trees, each fitted to the errors of those before. Often the most
    accurate of the tree methods. The weights are the shares of each attribute in the decrease of
    impurity.

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
        max_depth=maximal_depth,
        learning_rate=learning_rate,
        subsample=sample_ratio,
        random_state=seed_of(ctx, "boosting"),
    )
    model = fitted(boosted, examples, "Gradient Boosting", ctx=ctx)
    return Learned(model, examples.weights(boosted.feature_importances_))
