from fsops.operators import read_excel, retrieve, write_excel

table = retrieve(repository_entry="iris")
write_excel(table, excel_file="iris.xlsx")
print(read_excel(excel_file="iris.xlsx"))
