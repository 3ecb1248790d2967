from fsops.operators import retrieve, weight_by_f_test, write_weights

table = retrieve(repository_entry="iris")
print(write_weights(weight_by_f_test(table), path="weights.wgt"))
