from fsops.operators import exchange_roles, retrieve

table = retrieve(repository_entry="golf")
print(exchange_roles(table, first_attribute="Play", second_attribute="Wind"))
