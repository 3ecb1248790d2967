from fsops.operators import aggregate, retrieve

table = retrieve(repository_entry="iris")
means = aggregate(
    table,
    aggregation_attributes={"petal length (cm)": "average"},
    group_by_attributes=["label"],
)
print(means.to_pandas())
