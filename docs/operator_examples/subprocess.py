from fsops.operators import retrieve, select_by_weights, subprocess, weight_by_f_test

table = retrieve(repository_entry="iris")


def filtered(inputs):
    (rows,) = inputs
    return [select_by_weights(rows, weight_by_f_test(rows), k=2, weight_relation="top k")]


print(subprocess([table], body=filtered))
