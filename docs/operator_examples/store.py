from fsops.operators import retrieve, store

table = retrieve(repository_entry="iris")
print(store(table, repository_entry="data/iris"))
