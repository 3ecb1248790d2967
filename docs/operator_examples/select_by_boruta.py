from fsops.operators import retrieve, select_by_boruta

table = retrieve(repository_entry="iris")
weights, history = select_by_boruta(table, number_of_trees=20, iterations=15)
print(history)
