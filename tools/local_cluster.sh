#!/bin/sh
# Starts a dask scheduler and workers on this machine, until Ctrl-C:
#   tools/local_cluster.sh [WORKERS] [MEMORY OF EACH] [PORT]
# Then: fsops run process.xml --scheduler tcp://127.0.0.1:8786
workers=${1:-2} memory=${2:-1GB} address=tcp://127.0.0.1:${3:-8786}
if ! command -v dask >/dev/null; then
    echo 'There is no program "dask". Activate the environment of fsops, or: pip install "fsops[dask]"' >&2
    exit 1
fi
# Linear algebra with several threads would give other last digits.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
dask scheduler --host "$address" --no-dashboard &
started=$!
trap 'kill $started 2>/dev/null; wait' EXIT
trap 'exit 130' INT TERM
for _ in $(seq "$workers"); do
    dask worker "$address" --nthreads 1 --memory-limit "$memory" --no-dashboard &
    started="$started $!"
done
wait
