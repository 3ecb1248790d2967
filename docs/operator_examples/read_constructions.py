from pathlib import Path

from fsops.operators import read_constructions, retrieve

table = retrieve(repository_entry="diabetes")
Path("formulas.att").write_text(
    "<constructions>\n"
    '  <attribute name="bmi" construction="bmi"/>\n'
    '  <attribute name="pressure" construction="bmi * bp"/>\n'
    "</constructions>\n"
)
print(read_constructions(table, path="formulas.att"))
