from fsops.operators import retrieve, write_anndata

table = retrieve(repository_entry="iris")
print(write_anndata(table, path="iris.h5ad"))
