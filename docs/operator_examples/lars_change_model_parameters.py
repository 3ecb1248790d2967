from fsops.operators import lars, lars_change_model_parameters, retrieve

table = retrieve(repository_entry="diabetes")
model = lars(table).model
print(lars_change_model_parameters(model, max_attributes=3).weights)
