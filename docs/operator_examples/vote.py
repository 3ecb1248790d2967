from fsops.operators import decision_tree, k_nn, naive_bayes, retrieve, vote

table = retrieve(repository_entry="iris")
learners = [naive_bayes, k_nn, lambda rows: decision_tree(rows).model]
print(vote(table, learners=learners))
