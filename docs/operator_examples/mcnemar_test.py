from fsops.operators import apply_model, decision_tree, mcnemar_test, naive_bayes, retrieve

table = retrieve(repository_entry="iris")
one = apply_model(naive_bayes(table), table)
two = apply_model(decision_tree(table).model, table)
print(mcnemar_test(one, two))
