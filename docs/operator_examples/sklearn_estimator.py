from fsops.operators import retrieve, sklearn_estimator

table = retrieve(repository_entry="iris")
print(sklearn_estimator(table, estimator="sklearn.svm.SVC", parameters={"C": "10"}))
