from fsops import Process, run
from fsops.operators import extract_macro, generate_macro, retrieve, sample

process = Process("Draw half of the rows")
table = process.add(extract_macro, process.add(retrieve, repository_entry="iris"), macro="rows")
table = process.add(generate_macro, table, function_descriptions={"half": "%{rows} / 2"})
process.result(process.add(sample, table, sample="absolute", sample_size="%{half}"))
print(run(process)[0])
