from fsops.operators import retrieve, select_subprocess, weight_by_f_test, weight_by_relieff

table = retrieve(repository_entry="iris")
choices = [
    lambda tables: [weight_by_f_test(tables[0])],
    lambda tables: [weight_by_relieff(tables[0])],
]
weights = select_subprocess([table], selection=choices, select_which=2)
print(weights[0])
