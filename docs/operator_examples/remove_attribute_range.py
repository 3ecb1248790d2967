from fsops.operators import remove_attribute_range, retrieve

table = retrieve(repository_entry="iris")
print(remove_attribute_range(table, first_attribute=1, last_attribute=2))
