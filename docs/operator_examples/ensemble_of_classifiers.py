from fsops.operators import (
    ensemble_of_classifiers,
    naive_bayes,
    retrieve,
    weight_by_f_test,
    weight_by_relieff,
)

table = retrieve(repository_entry="iris")
model, members = ensemble_of_classifiers(
    table, learner=naive_bayes, selection=[weight_by_f_test, weight_by_relieff], k=2
)
print(model)
