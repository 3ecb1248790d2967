from fsops.operators import read_arff, retrieve, write_arff

table = retrieve(repository_entry="iris")
write_arff(table, path="iris.arff")
print(read_arff(path="iris.arff"))
