from fsops.operators import retrieve, sort

table = retrieve(repository_entry="golf")
print(sort(table, attribute="Temperature"))
