from fsops.operators import filter_example_range, retrieve, set_minus

table = retrieve(repository_entry="golf")
few = filter_example_range(table, first_example=1, last_example=5)
print(set_minus(table, few, key_attributes=["Outlook", "Temperature"]))
