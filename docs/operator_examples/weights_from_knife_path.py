from fsops.operators import knife_path, retrieve, sample, weights_from_knife_path

table = sample(retrieve(repository_entry="diabetes"), sample_size=60)
path = knife_path(table, steps=8, max_iterations=10).path
print(weights_from_knife_path(path, step=4))
