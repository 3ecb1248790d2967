from pathlib import Path

from fsops.operators import read_coordinates

Path("counts.csv").write_text("row,column,value\n1,gene_a,3\n1,gene_b,1\n2,gene_b,7\n")
print(read_coordinates(path="counts.csv"))
