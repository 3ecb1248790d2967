from fsops import Process, run
from fsops.operators import (
    apply_model,
    cross_validation,
    k_nn,
    optimize_parameters_evolutionary,
    performance,
    retrieve,
)

process = Process("Choose k")
table = process.add(retrieve, repository_entry="iris")
search = process.add(
    optimize_parameters_evolutionary,
    table,
    parameters={"k-NN.number_of_neighbors": "[1;20]"},
    max_generations=2,
)
trial = search.inner("trial")
validation = trial.add(cross_validation, trial.source())
training, testing = validation.inner("training"), validation.inner("testing")
training.result(training.add(k_nn, training.source(), name="k-NN"))
testing.result(testing.add(performance, testing.add(apply_model, *testing.inputs())))
trial.result(validation["performance"])
process.result(search["trials"])
trials = run(process)[0]
print(trials.to_pandas())
