import pandas as pd

from fsops import ExampleSet
from fsops.operators import performance_survival

table = ExampleSet.from_pandas(
    pd.DataFrame(
        {
            "months": [4, 9, 13, 20, 31],
            "died": ["yes", "yes", "no", "yes", "no"],
            "risk": [1.4, 0.2, 0.6, -0.3, -0.9],
            "age": [71, 64, 58, 66, 49],
        }
    ),
    roles={"months": "label", "died": "event", "risk": "prediction"},
)
print(performance_survival(table))
