from fsops.operators import metacost, naive_bayes, retrieve

table = retrieve(repository_entry="breast cancer")
print(metacost(table, naive_bayes, cost_matrix="[0 5; 1 0]"))
