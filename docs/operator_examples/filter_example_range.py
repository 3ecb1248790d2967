from fsops.operators import filter_example_range, retrieve

table = retrieve(repository_entry="iris")
print(filter_example_range(table, first_example=1, last_example=10))
