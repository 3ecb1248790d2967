from fsops.operators import read_matrix_market, retrieve, write_matrix_market

table = retrieve(repository_entry="iris")
write_matrix_market(table, folder="iris")
print(read_matrix_market(path="iris/matrix.mtx.gz"))
