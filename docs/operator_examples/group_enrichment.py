"""Test which groups hold more of the best attributes than chance explains."""

import numpy as np

from fsops import ExampleSet
from fsops.operators import (
    group_enrichment,
    select_top_k,
    set_attribute_groups,
    weight_by_f_test,
)

rng = np.random.default_rng(0)
y = np.repeat(["case", "control"], 20)
X = rng.normal(size=(40, 50))
X[:20, :5] += 2
table = ExampleSet.from_numpy(X, y, names=[f"g{j}" for j in range(50)])
table = set_attribute_groups(
    table, source="patterns", groups={"cell cycle": "g[0-7]", "repair": "g1.", "others": "g[2-4]."}
)
selection = select_top_k(weight_by_f_test(table), k=5)
print(group_enrichment(table, selection).to_pandas())
