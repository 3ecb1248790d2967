from pathlib import Path

from fsops.operators import read_geo_series_matrix

Path("GSE1_series_matrix.txt").write_text(
    '!Sample_characteristics_ch1\t"tissue: tumour"\t"tissue: normal"\n'
    "!series_matrix_table_begin\n"
    "ID_REF\tGSM1\tGSM2\n"
    "1007_s_at\t10.9\t9.4\n"
    "1053_at\t6.1\t7.0\n"
    "!series_matrix_table_end\n"
)
print(read_geo_series_matrix(path="GSE1_series_matrix.txt"))
