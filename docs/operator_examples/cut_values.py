from fsops.operators import cut_values, retrieve

table = retrieve(repository_entry="golf")
print(cut_values(table, last_character_index=3).to_pandas().head(5))
