from fsops.operators import retrieve, write_constructions

table = retrieve(repository_entry="diabetes")
print(write_constructions(table, path="formulas.att"))
