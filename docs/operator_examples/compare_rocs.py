from fsops.operators import compare_rocs, k_nn, naive_bayes, retrieve

table = retrieve(repository_entry="breast cancer")
compared = compare_rocs(table, learners=[naive_bayes, k_nn])
print(compared.areas.to_pandas())
