from fsops.operators import handle_exception, retrieve, weight_by_f_test, weight_by_sam

table = retrieve(repository_entry="iris")
# SAM compares two classes, and this table has three.
weights = handle_exception(
    [table],
    attempt=lambda inputs: [weight_by_sam(*inputs)],
    catch=lambda inputs: [weight_by_f_test(*inputs)],
)
print(weights)
