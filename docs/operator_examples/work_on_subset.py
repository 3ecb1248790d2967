from fsops.operators import normalize, retrieve, work_on_subset

table = retrieve(repository_entry="iris")
changed = work_on_subset(
    table,
    subset_process=lambda rows: normalize(rows).examples,
    attribute_filter_type="regular_expression",
    regular_expression="petal.*",
)
print(changed)
