import pandas as pd
import rdata

from fsops.operators import read_r

frame = pd.DataFrame({"gene1": [1.5, 2.0, 0.5], "gene2": [0.1, 0.4, 0.2]})
rdata.write_rds("genes.rds", frame.set_axis(frame.columns.astype(object), axis=1))
print(read_r(path="genes.rds"))
