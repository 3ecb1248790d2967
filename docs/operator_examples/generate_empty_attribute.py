from fsops.operators import generate_empty_attribute, retrieve

table = retrieve(repository_entry="iris")
print(generate_empty_attribute(table, new_name="remark", value_type="text"))
