from fsops.operators import knife_path, retrieve, sample

table = sample(retrieve(repository_entry="diabetes"), sample_size=60)
path, weights = knife_path(table, steps=8, max_iterations=10)
print(path)
