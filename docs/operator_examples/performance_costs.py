from fsops.operators import apply_model, naive_bayes, performance_costs, retrieve

table = retrieve(repository_entry="iris")
predicted = apply_model(naive_bayes(table), table)
print(performance_costs(predicted, cost_matrix="[0 1 2; 1 0 1; 2 1 0]"))
