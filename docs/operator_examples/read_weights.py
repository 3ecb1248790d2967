from fsops.operators import read_weights, retrieve, weight_by_f_test, write_weights

table = retrieve(repository_entry="iris")
write_weights(weight_by_f_test(table), path="weights.wgt")
print(read_weights(path="weights.wgt"))
