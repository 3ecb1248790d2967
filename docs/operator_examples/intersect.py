from fsops.operators import filter_example_range, intersect, retrieve

table = retrieve(repository_entry="golf")
few = filter_example_range(table, first_example=1, last_example=5)
print(intersect(table, few, key_attributes=["Outlook", "Temperature"]))
