import numpy as np
import pandas as pd

from fsops import ExampleSet
from fsops.operators import weight_by_cox

rng = np.random.default_rng(1)
genes = rng.normal(size=(60, 4))
months = np.round(24 * rng.exponential(size=60) * np.exp(-genes[:, 0]), 1)
table = pd.DataFrame(genes, columns=["g1", "g2", "g3", "g4"])
table["months"], table["died"] = months.clip(max=36), months < 36
patients = ExampleSet.from_pandas(table, roles={"months": "label", "died": "event"})
print(weight_by_cox(patients, adjustment="benjamini_hochberg").to_pandas())
