from fsops.operators import apply_model, find_threshold, naive_bayes, retrieve

table = retrieve(repository_entry="breast cancer")
predicted = apply_model(naive_bayes(table), table)
print(find_threshold(predicted, misclassification_costs_first=5.0))
