from fsops.operators import agglomerative_clustering, flatten_clustering, retrieve

table = retrieve(repository_entry="iris")
tree = agglomerative_clustering(table).model
print(flatten_clustering(tree, table, number_of_clusters=3))
