from fsops import Process, run
from fsops.operators import extract_macro, retrieve, sample

process = Process("Use the number of rows")
table = process.add(extract_macro, process.add(retrieve, repository_entry="iris"), macro="rows")
process.result(process.add(sample, table, sample="absolute", sample_size="%{rows}"))
print(run(process)[0])
