from fsops import Process, run
from fsops.operators import create_exampleset, k_nn, retrieve, set_parameters

process = Process("Use the best values")
best = process.add(create_exampleset, input_csv_text="k-NN.k\n7\n")
settings = process.add(set_parameters, best, process.add(retrieve, repository_entry="iris"))
process.result(process.add(k_nn, settings["through 1"], name="k-NN"))
print(run(process)[0])
