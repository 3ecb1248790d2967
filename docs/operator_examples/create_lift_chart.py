from fsops.operators import create_lift_chart, naive_bayes, retrieve

table = retrieve(repository_entry="breast cancer")
print(create_lift_chart(table, naive_bayes(table)).to_pandas().head(5))
