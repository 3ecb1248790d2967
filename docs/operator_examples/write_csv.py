from fsops.operators import retrieve, write_csv

table = retrieve(repository_entry="iris")
print(write_csv(table, path="iris.csv"))
