from fsops.operators import collect, loop_collection, retrieve, weight_by_f_test

tables = collect([retrieve(repository_entry="iris"), retrieve(repository_entry="wine")])
print(loop_collection(tables, body=lambda rows: [weight_by_f_test(rows)]))
