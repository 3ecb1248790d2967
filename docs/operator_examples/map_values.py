from fsops.operators import map_values, retrieve

table = retrieve(repository_entry="golf")
changed = map_values(table, value_mappings={"rain": "wet", "overcast": "dry"})
print(changed.to_pandas().head(5))
