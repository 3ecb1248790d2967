"""GMT files: read, bounded, and refused with a sentence."""

import pytest

from fsops.errors import DataError, FsopsError
from fsops.storage import gene_sets
from fsops.storage.gene_sets import read_gene_sets


def written(tmp_path, text: str | bytes) -> str:
    file = tmp_path / "sets.gmt"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(file)


def test_sets_are_read_with_repeated_genes_once(tmp_path):
    text = "# note\nA\tabout\tg1\tg2\tg1\t\r\n\nB b\t\tg3\n"
    names, genes = read_gene_sets(written(tmp_path, text))
    assert names == ["A", "B b"]
    assert genes == [["g1", "g2"], ["g3"]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A\tabout\n", "line 1 is not a gene set"),
        ("A\tx\tg\n\tx\tg\n", "line 2 is not a gene set"),
        ("A\tx\tg\nA\tx\tg\n", 'the set "A" is there twice'),
        ("", "has no gene sets"),
        (b"\xff\xfe\x00", "is not a text in UTF-8"),
        ("x" * 2000 + "\tabout\tg", "line 1 is not a gene set"),
    ],
)
def test_other_files_are_refused_with_a_sentence(tmp_path, text, said):
    with pytest.raises(DataError, match=said):
        read_gene_sets(written(tmp_path, text))


def test_the_size_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(gene_sets, "MOST_SETS", 2)
    with pytest.raises(DataError, match="more than 2 sets"):
        read_gene_sets(written(tmp_path, "".join(f"s{i}\tx\tg\n" for i in range(3))))
    monkeypatch.setattr(gene_sets, "LARGEST_BYTES", 10)
    with pytest.raises(FsopsError, match="larger than"):
        read_gene_sets(written(tmp_path, "A\tx\t" + "g" * 20))
    with pytest.raises(FsopsError, match="no file|not there|no such"):
        read_gene_sets(str(tmp_path / "absent.gmt"))
