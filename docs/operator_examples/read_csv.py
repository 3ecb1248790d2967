from pathlib import Path

from fsops.operators import read_csv

Path("patients.csv").write_text("age,marker,diagnosis\n61,2.5,tumour\n48,0.7,normal\n")
print(read_csv(path="patients.csv", label="diagnosis"))
