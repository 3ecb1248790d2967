from fsops.operators import cluster_distance_performance, k_means, retrieve

table = retrieve(repository_entry="iris")
clustered, model = k_means(table, number_of_clusters=3)
print(cluster_distance_performance(clustered, model))
