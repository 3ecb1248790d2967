from fsops.operators import retrieve, weight_by_knife

table = retrieve(repository_entry="iris")
print(weight_by_knife(table, restarts=1))
