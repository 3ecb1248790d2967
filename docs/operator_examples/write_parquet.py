from fsops.operators import retrieve, write_parquet

table = retrieve(repository_entry="iris")
print(write_parquet(table, path="iris.parquet"))
