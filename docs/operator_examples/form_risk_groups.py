import numpy as np
import pandas as pd

from fsops import ExampleSet
from fsops.operators import apply_model, cox_regression, form_risk_groups

rng = np.random.default_rng(1)
genes = rng.normal(size=(80, 3))
months = np.round(24 * rng.exponential(size=80) * np.exp(-genes[:, 0] - genes[:, 1]), 1)
table = pd.DataFrame(genes, columns=["g1", "g2", "g3"])
table["months"], table["died"] = months.clip(max=36), months < 36
patients = ExampleSet.from_pandas(table, roles={"months": "label", "died": "event"})
training, others = patients.take(range(60)), patients.take(range(60, 80))
model = form_risk_groups(cox_regression(training).model, training)
grouped = apply_model(model, others)
print(grouped.to_pandas()["risk group"].value_counts())
