from fsops.operators import (
    apply_model,
    loop_and_deliver_best,
    naive_bayes,
    performance,
    retrieve,
    split_data,
)

table = retrieve(repository_entry="iris")


def one_split(inputs):
    train, test = split_data(*inputs, partitions=[0.7, 0.3])
    return performance(apply_model(naive_bayes(train), test)), []


print(loop_and_deliver_best([table], optimizing=one_split, iterations=3))
