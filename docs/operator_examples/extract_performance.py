from fsops.operators import extract_performance, retrieve

table = retrieve(repository_entry="iris")
print(extract_performance(table))
