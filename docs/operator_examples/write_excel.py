from fsops.operators import retrieve, write_excel

table = retrieve(repository_entry="iris")
print(write_excel(table, path="iris.xlsx"))
