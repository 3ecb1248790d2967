import numpy as np
import pandas as pd

from fsops import ExampleSet
from fsops.operators import adjust_batches

rng = np.random.default_rng(1)
plate = np.array(["a", "b"])[np.arange(20) % 2]
table = pd.DataFrame(rng.normal(size=(20, 3)), columns=["g1", "g2", "g3"])
table[["g1", "g2", "g3"]] += np.where(plate == "b", 3.0, 0.0)[:, None]
examples = ExampleSet.from_pandas(table.assign(plate=plate), roles={"plate": "batch"})
adjusted = adjust_batches(examples).examples.to_pandas()
print(adjusted.groupby("plate")[["g1", "g2", "g3"]].mean().round(2))
