from fsops.operators import read_svmlight, retrieve, write_svmlight

table = retrieve(repository_entry="iris")
write_svmlight(table, path="iris.svm")
print(read_svmlight(path="iris.svm"))
