from fsops.operators import optimize_selection_brute_force, performance_cfs, retrieve

table = retrieve(repository_entry="iris")
print(optimize_selection_brute_force(table, evaluation=performance_cfs))
