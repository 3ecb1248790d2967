from fsops.operators import rename, retrieve

table = retrieve(repository_entry="iris")
renamed = rename(table, old_name="petal length (cm)", new_name="petal length")
print(renamed.schema.regular_names)
