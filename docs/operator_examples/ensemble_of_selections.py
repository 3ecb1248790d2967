from fsops.operators import (
    ensemble_of_selections,
    retrieve,
    weight_by_f_test,
    weight_by_information_gain,
)

table = retrieve(repository_entry="iris")
print(ensemble_of_selections(table, selection=[weight_by_f_test, weight_by_information_gain]))
