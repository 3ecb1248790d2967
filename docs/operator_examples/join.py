import pandas as pd

from fsops import ExampleSet
from fsops.operators import join

ages = pd.DataFrame({"patient": ["P1", "P2", "P3"], "age": [61, 48, 55]})
markers = pd.DataFrame({"patient": ["P3", "P1"], "marker": [0.4, 2.5]})
left = ExampleSet.from_pandas(ages, roles={"patient": "id"})
right = ExampleSet.from_pandas(markers, roles={"patient": "id"})
print(join(left, right).to_pandas())
