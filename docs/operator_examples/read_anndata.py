from fsops.operators import read_anndata, retrieve, write_anndata

table = retrieve(repository_entry="iris")
write_anndata(table, path="iris.h5ad")
print(read_anndata(path="iris.h5ad"))
