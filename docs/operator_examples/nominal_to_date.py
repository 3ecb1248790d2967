import pandas as pd

from fsops import ExampleSet
from fsops.operators import nominal_to_date

frame = pd.DataFrame({"visit": ["2026-01-05", "2026-02-17"], "value": [1.5, 2.0]})
table = ExampleSet.from_pandas(frame)
print(nominal_to_date(table, attribute="visit").to_pandas())
