"""Trade accuracy against the price of the measurements."""

from fsops.operators import (
    apply_model,
    cross_validation,
    naive_bayes,
    optimize_selection_evolutionary,
    performance,
    retrieve,
)

table = retrieve(repository_entry="iris")
costs = table.weights([1.0, 1.0, 5.0, 8.0])


def evaluation(rows, through=()):
    def test(model, unseen):
        return performance(apply_model(model, unseen))

    return cross_validation(rows, naive_bayes, test, number_of_folds=5).performance


found = optimize_selection_evolutionary(
    table,
    evaluation,
    costs=costs,
    selection_scheme="non dominated sorting",
    max_generations=5,
)
print(found.front.to_pandas())
