from fsops.operators import knife_convergence, retrieve

table = retrieve(repository_entry="iris")
print(knife_convergence(table, restarts=1, max_iterations=5).to_pandas().head(6))
