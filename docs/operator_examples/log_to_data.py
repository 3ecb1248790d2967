from fsops import Process, run
from fsops.operators import log, log_to_data, retrieve

process = Process("Note a number")
table = process.add(retrieve, repository_entry="iris")
noted = process.add(log, table, log={"rows": "150"})
rows = process.add(log_to_data, noted)
process.result(rows)
print(run(process)[0].to_pandas())
