#!/bin/sh
# Starts a dask scheduler and workers on this machine, until Ctrl-C:
#   tools/local_cluster.sh [WORKERS] [MEMORY OF EACH] [PORT]
# Then: fsops run process.xml --scheduler tcp://127.0.0.1:8786
workers=${1:-2} memory=${2:-1GB} address=tcp://127.0.0.1:${3:-8786}
dask scheduler --host "$address" --no-dashboard &
started=$!
trap 'kill $started' EXIT
trap 'exit 130' INT TERM
for _ in $(seq "$workers"); do
    dask worker "$address" --nthreads 1 --memory-limit "$memory" --no-dashboard &
    started="$started $!"
done
wait
