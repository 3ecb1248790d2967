import numpy as np
import pandas as pd

from fsops import ExampleSet
from fsops.operators import weight_by_partial_correlation

rng = np.random.default_rng(1)
age = rng.normal(60, 10, size=50)
table = pd.DataFrame({"gene": rng.normal(size=50), "wrinkles": age + rng.normal(size=50)})
table["pressure"] = age + 5 * table["gene"] + rng.normal(size=50)
table["age"] = age
patients = ExampleSet.from_pandas(table, roles={"pressure": "label", "age": "covariate"})
print(weight_by_partial_correlation(patients, method="spearman").to_pandas())
