from fsops.operators import (
    apply_model,
    cross_validation,
    k_nn,
    naive_bayes,
    performance,
    retrieve,
    t_test,
)


def tested(model, rows):
    return performance(apply_model(model, rows))


table = retrieve(repository_entry="iris")
performances = [
    cross_validation(table, training=learner, testing=tested).performance
    for learner in (naive_bayes, k_nn)
]
print(t_test(performances))
