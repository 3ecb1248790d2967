import pandas as pd

from fsops import ExampleSet
from fsops.operators import de_pivot

frame = pd.DataFrame({"patient": ["a", "b"], "week1": [1.5, 2.0], "week2": [0.5, 1.0]})
table = ExampleSet.from_pandas(frame)
print(de_pivot(table, series={"weight": "week.*"}).to_pandas())
