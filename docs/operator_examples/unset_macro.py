from fsops import Process, run
from fsops.operators import retrieve, set_macros, unset_macro

process = Process("Remove a macro")
table = process.add(retrieve, repository_entry="iris")
table = process.add(set_macros, table, macros={"size": "2"})
process.result(process.add(unset_macro, table, macro="size"))
print(run(process)[0])
