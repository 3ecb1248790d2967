from fsops.operators import merge_values, retrieve

table = retrieve(repository_entry="golf")
merged = merge_values(table, attribute="Outlook", first_value="rain", second_value="overcast")
print(merged.to_pandas().head(5))
