from fsops.operators import loop, retrieve, sample, weight_by_f_test

table = retrieve(repository_entry="iris")
weights = loop([table], body=lambda tables: [weight_by_f_test(sample(tables[0]))], iterations=3)
print(weights[0])
