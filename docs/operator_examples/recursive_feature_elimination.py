from fsops.operators import recursive_feature_elimination, retrieve, weight_by_f_test

table = retrieve(repository_entry="iris")
print(recursive_feature_elimination(table, weighting=weight_by_f_test, k=2))
