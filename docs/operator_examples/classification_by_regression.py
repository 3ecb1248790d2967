from fsops.operators import classification_by_regression, linear_regression, retrieve

table = retrieve(repository_entry="iris")
print(classification_by_regression(table, learner=lambda rows: linear_regression(rows).model))
