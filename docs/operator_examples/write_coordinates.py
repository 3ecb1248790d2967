from fsops.operators import retrieve, write_coordinates

table = retrieve(repository_entry="iris")
print(write_coordinates(table, coordinates_file="iris.coo.csv"))
