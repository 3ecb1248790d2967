from fsops.operators import discretize_by_user_specification, retrieve

table = retrieve(repository_entry="iris")
print(discretize_by_user_specification(table, classes={"short": 3.0, "long": float("inf")}))
