from fsops.operators import decision_tree, k_nn, naive_bayes, retrieve, stacking

table = retrieve(repository_entry="iris")
model = stacking(
    table,
    stacking_learner=lambda rows: decision_tree(rows).model,
    learners=[naive_bayes, k_nn],
)
print(model)
