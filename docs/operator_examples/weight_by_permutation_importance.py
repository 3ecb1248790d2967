"""Which measurements does a random forest rely on for new flowers?"""

from functools import partial

from fsops.operators import random_forest, retrieve, weight_by_permutation_importance

table = retrieve(repository_entry="iris")
learner = partial(random_forest, number_of_trees=20)
weights = weight_by_permutation_importance(table, learner, number_of_folds=3, permutations=19)
print(weights.to_pandas())
