from fsops import Process, run
from fsops.operators import (
    apply_model,
    k_nn,
    loop_parameters,
    performance,
    retrieve,
    split_validation,
)

process = Process("Choose the number of neighbors")
table = process.add(retrieve, repository_entry="iris")
values = {"k-NN.number_of_neighbors": "1,5,9,13"}
search = process.add(loop_parameters, table, parameters=values)
trial = search.inner()
validation = trial.add(split_validation, trial.source())
training, testing = validation.inner("training"), validation.inner("testing")
training.result(training.add(k_nn, training.source(), name="k-NN"))
testing.result(testing.add(performance, testing.add(apply_model, *testing.inputs())))
trial.result(validation["performance"])
process.result(search["trials"])
trials = run(process)[0]
print(trials.to_pandas())
