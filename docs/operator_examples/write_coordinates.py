from fsops.operators import retrieve, write_coordinates

table = retrieve(repository_entry="iris")
print(write_coordinates(table, path="iris.coo.csv"))
