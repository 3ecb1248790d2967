from fsops.operators import retrieve, write_arff

table = retrieve(repository_entry="iris")
print(write_arff(table, path="iris.arff"))
