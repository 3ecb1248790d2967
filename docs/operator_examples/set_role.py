from fsops.operators import retrieve, set_role

table = retrieve(repository_entry="golf")
others = {"Play": "regular"}
print(set_role(table, attribute="Wind", target_role="label", set_additional_roles=others))
