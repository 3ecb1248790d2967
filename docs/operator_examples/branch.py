from fsops.operators import branch, retrieve, weight_by_f_test, weight_by_relieff

table = retrieve(repository_entry="iris")
chosen = branch(
    table,
    then=lambda rows: [weight_by_f_test(rows)],
    otherwise=lambda rows: [weight_by_relieff(rows)],
    condition_type="min_examples",
    condition_value="100",
)
print(chosen)
