from fsops.operators import retrieve, write_svmlight

table = retrieve(repository_entry="iris")
print(write_svmlight(table, path="iris.svm"))
