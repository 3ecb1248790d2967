from fsops.operators import keep_characters, retrieve

table = retrieve(repository_entry="golf")
print(keep_characters(table, last_character_index=3).to_pandas().head(5))
