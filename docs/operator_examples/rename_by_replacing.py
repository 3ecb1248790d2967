from fsops.operators import rename_by_replacing, retrieve

table = retrieve(repository_entry="iris")
renamed = rename_by_replacing(table, replace_what=r" \(cm\)", replace_by="")
print(renamed.schema.regular_names)
