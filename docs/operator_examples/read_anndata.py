from fsops.operators import read_anndata, retrieve, write_anndata

table = retrieve(repository_entry="iris")
write_anndata(table, h5ad_file="iris.h5ad")
print(read_anndata(h5ad_file="iris.h5ad"))
