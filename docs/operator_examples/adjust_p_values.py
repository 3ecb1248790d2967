from fsops.operators import adjust_p_values, retrieve, weight_by_f_test

table = retrieve(repository_entry="iris")
print(adjust_p_values(weight_by_f_test(table)))
