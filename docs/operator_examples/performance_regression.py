from fsops.operators import apply_model, performance_regression, retrieve, ridge_regression

table = retrieve(repository_entry="diabetes")
predicted = apply_model(ridge_regression(table).model, table)
print(performance_regression(predicted))
