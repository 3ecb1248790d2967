import pandas as pd

from fsops import ExampleSet
from fsops.operators import pivot

frame = pd.DataFrame(
    {"patient": ["a", "a", "b", "b"], "visit": ["1", "2", "1", "2"], "weight": [70, 68, 81, 80]}
)
table = ExampleSet.from_pandas(frame)
print(pivot(table, group_by_attributes=["patient"], index_attribute="visit").to_pandas())
