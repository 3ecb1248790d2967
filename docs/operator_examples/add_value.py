from fsops.operators import add_value, retrieve

table = retrieve(repository_entry="golf")
print(add_value(table, attribute="Outlook", new_value="fog"))
