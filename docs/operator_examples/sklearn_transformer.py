from fsops.operators import retrieve, sklearn_transformer

table = retrieve(repository_entry="iris")
print(sklearn_transformer(table, transformer="sklearn.preprocessing.PowerTransformer"))
