from fsops import Process, run, write_process
from fsops.operators import execute_process, retrieve, weight_by_f_test

inner = Process("Weights")
inner.result(inner.add(weight_by_f_test, inner.add(retrieve, repository_entry="iris")))
write_process(inner, "weights.xml")

process = Process("Use another process")
process.result(process.add(execute_process, path="weights.xml"))
write_process(process, "main.xml")
print(run("main.xml")[0])
