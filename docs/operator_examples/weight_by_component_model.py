from fsops.operators import principal_component_analysis, retrieve, weight_by_component_model

table = retrieve(repository_entry="iris")
model = principal_component_analysis(table).model
print(weight_by_component_model(table, model))
