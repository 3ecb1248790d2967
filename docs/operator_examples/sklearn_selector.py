from fsops.operators import retrieve, sklearn_selector

table = retrieve(repository_entry="iris")
print(sklearn_selector(table, selector="sklearn.feature_selection.SelectFdr"))
