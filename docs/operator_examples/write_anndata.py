from fsops.operators import retrieve, write_anndata

table = retrieve(repository_entry="iris")
print(write_anndata(table, h5ad_file="iris.h5ad"))
