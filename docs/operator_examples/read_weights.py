from fsops.operators import read_weights, retrieve, weight_by_f_test, write_weights

table = retrieve(repository_entry="iris")
write_weights(weight_by_f_test(table), attribute_weights_file="weights.wgt")
print(read_weights(attribute_weights_file="weights.wgt"))
