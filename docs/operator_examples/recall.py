from fsops import Process, run
from fsops.operators import recall, remember, retrieve, weight_by_f_test

process = Process("Remember a table")
table = process.add(retrieve, repository_entry="iris")
kept = process.add(remember, table, remember_as="flowers")
again = process.add(recall, kept, remembered_as="flowers")
process.result(process.add(weight_by_f_test, again))
print(run(process)[0])
