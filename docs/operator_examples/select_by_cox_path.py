import numpy as np
import pandas as pd

from fsops import ExampleSet
from fsops.operators import select_by_cox_path

rng = np.random.default_rng(1)
genes = rng.normal(size=(80, 6))
months = np.round(24 * rng.exponential(size=80) * np.exp(-genes[:, 0] - genes[:, 1]), 1)
table = pd.DataFrame(genes, columns=["g1", "g2", "g3", "g4", "g5", "g6"])
table["months"], table["died"] = months.clip(max=36), months < 36
patients = ExampleSet.from_pandas(table, roles={"months": "label", "died": "event"})
weights, curve, path = select_by_cox_path(patients, number_of_folds=5)
print(weights.to_pandas())
