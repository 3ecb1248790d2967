from fsops.operators import data_to_weights, retrieve

table = retrieve(repository_entry="iris")
print(data_to_weights(table))
