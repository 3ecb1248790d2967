from fsops.operators import read_parquet, retrieve, write_parquet

table = retrieve(repository_entry="iris")
write_parquet(table, path="iris.parquet")
print(read_parquet(path="iris.parquet"))
