from fsops.operators import retrieve, write_constructions

table = retrieve(repository_entry="diabetes")
print(write_constructions(table, attribute_constructions_file="formulas.att"))
