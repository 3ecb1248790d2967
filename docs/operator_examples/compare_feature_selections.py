from fsops.operators import (
    compare_feature_selections,
    naive_bayes,
    retrieve,
    weight_by_f_test,
    weight_by_relieff,
)

table = retrieve(repository_entry="iris")
print(
    compare_feature_selections(
        table,
        selection=[weight_by_f_test, weight_by_relieff],
        learning=naive_bayes,
        number_of_folds=5,
    )
)
