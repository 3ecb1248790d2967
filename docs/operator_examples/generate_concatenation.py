from fsops.operators import generate_concatenation, retrieve

table = retrieve(repository_entry="golf")
changed = generate_concatenation(table, first_attribute="Outlook", second_attribute="Wind")
print(changed.to_pandas().head(5))
