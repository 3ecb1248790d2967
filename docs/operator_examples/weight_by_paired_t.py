import numpy as np
import pandas as pd

from fsops import ExampleSet
from fsops.operators import weight_by_paired_t

rng = np.random.default_rng(1)
before = rng.normal(size=(12, 3))
after = before + rng.normal([0.5, 0.0, 0.0], 0.4, size=(12, 3))
table = pd.DataFrame(np.concatenate([before, after]), columns=["g1", "g2", "g3"])
table["visit"], table["patient"] = np.repeat(["1 before", "2 after"], 12), [*range(12), *range(12)]
visits = ExampleSet.from_pandas(table, roles={"visit": "label", "patient": "pair"})
print(weight_by_paired_t(visits, adjustment="holm").to_pandas())
