from fsops.operators import retrieve

print(retrieve(repository_entry="breast cancer"))
