from fsops import Process, run
from fsops.operators import retrieve, select_top_k, set_macro, weight_by_f_test

process = Process("Set a number once")
data = process.add(retrieve, repository_entry="iris")
table = process.add(set_macro, data, macro="size", value="2")
weights = process.add(weight_by_f_test, table)
process.result(process.add(select_top_k, weights, k="%{size}"))
print(run(process)[0])
