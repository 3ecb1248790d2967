import pandas as pd

from fsops import ExampleSet
from fsops.operators import date_to_nominal, nominal_to_date

frame = pd.DataFrame({"visit": ["2026-01-05", "2026-02-17"], "value": [1.5, 2.0]})
table = nominal_to_date(ExampleSet.from_pandas(frame), attribute="visit")
print(date_to_nominal(table, attribute="visit", date_format="MMM yyyy").to_pandas())
