from fsops.operators import replace_in_values, retrieve

table = retrieve(repository_entry="golf")
changed = replace_in_values(table, replace_what="rain", replace_by="rainy")
print(changed.to_pandas().head(5))
