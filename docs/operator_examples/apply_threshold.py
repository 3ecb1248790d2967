from fsops.operators import apply_model, apply_threshold, find_threshold, naive_bayes, retrieve

table = retrieve(repository_entry="breast cancer")
predicted = apply_model(naive_bayes(table), table)
threshold = find_threshold(predicted, misclassification_costs_first=5.0)
print(apply_threshold(predicted, threshold))
