from fsops.operators import read_arff, retrieve, write_arff

table = retrieve(repository_entry="iris")
write_arff(table, arff_file="iris.arff")
print(read_arff(arff_file="iris.arff"))
