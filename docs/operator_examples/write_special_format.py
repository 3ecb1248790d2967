from fsops.operators import retrieve, write_special_format

table = retrieve(repository_entry="golf")
written = write_special_format(table, path="golf.txt", special_format="$v[Outlook]: $l")
print(written)
