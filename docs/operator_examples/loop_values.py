from fsops.operators import loop_values, retrieve

table = retrieve(repository_entry="golf")
print(loop_values(table, body=lambda rows: [rows], attribute="Outlook"))
