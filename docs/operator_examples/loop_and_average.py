from fsops.operators import loop_and_average, retrieve, weight_by_relieff

table = retrieve(repository_entry="iris")
print(loop_and_average([table], body=lambda inputs: [weight_by_relieff(*inputs)], iterations=3))
