import pandas as pd

from fsops.operators import read_statistics_file

pd.DataFrame({"age": [63, 41, 57], "pressure": [145.0, 130.0, 120.0]}).to_stata("patients.dta")
print(read_statistics_file(path="patients.dta"))
