from fsops.operators import retrieve, write_matrix_market

table = retrieve(repository_entry="iris")
print(write_matrix_market(table, folder="iris"))
