from fsops.operators import generalized_hebbian_algorithm, normalize, retrieve

table = retrieve(repository_entry="iris")
scaled = normalize(table).examples
print(generalized_hebbian_algorithm(scaled, number_of_components=2))
