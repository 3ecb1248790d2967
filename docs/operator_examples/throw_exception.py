from fsops import FsopsError
from fsops.operators import retrieve, throw_exception

table = retrieve(repository_entry="iris")
try:
    throw_exception([table], message="The table has only 4 attributes.")
except FsopsError as error:
    print(error)
