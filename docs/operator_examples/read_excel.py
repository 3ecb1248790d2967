from fsops.operators import read_excel, retrieve, write_excel

table = retrieve(repository_entry="iris")
write_excel(table, path="iris.xlsx")
print(read_excel(path="iris.xlsx"))
