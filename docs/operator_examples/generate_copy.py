from fsops.operators import generate_copy, retrieve

table = retrieve(repository_entry="iris")
print(generate_copy(table, attribute="petal length (cm)"))
