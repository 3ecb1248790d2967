from fsops.operators import loop_attributes, retrieve

table = retrieve(repository_entry="iris")
print(loop_attributes(table, body=lambda rows: [rows]))
