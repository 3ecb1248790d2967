from fsops.operators import read_svmlight, retrieve, write_svmlight

table = retrieve(repository_entry="iris")
write_svmlight(table, svmlight_file="iris.svm")
print(read_svmlight(svmlight_file="iris.svm"))
