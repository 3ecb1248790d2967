from fsops.operators import generate_attributes, retrieve

table = retrieve(repository_entry="golf")
formula = {"Discomfort": "Temperature * Humidity / 100"}
print(generate_attributes(table, function_descriptions=formula))
