from fsops.operators import (
    apply_model,
    naive_bayes,
    performance_binominal_classification,
    retrieve,
)

table = retrieve(repository_entry="breast cancer")
predicted = apply_model(naive_bayes(table), table)
print(performance_binominal_classification(predicted))
