from fsops.operators import apply_model, naive_bayes, performance, retrieve

table = retrieve(repository_entry="iris")
predicted = apply_model(naive_bayes(table), table)
print(performance(predicted))
