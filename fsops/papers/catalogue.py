"""All experiments of the papers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fsops.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from fsops.papers.setting import Setting
    from fsops.papers.values import Measured

PAPERS = {
    "schowe": "Schowe (2011): Feature selection for high-dimensional data with RapidMiner. RCOMM",
    "knife": "Allen (2013): Automatic feature selection via weighted kernels and regularization. "
    "Journal of Computational and Graphical Statistics 22",
    "filter_svm": "Lal, Chapelle, Schölkopf (2006): Combining a filter method with SVMs. In: "
    "Feature Extraction, Springer",
    "mixed_kernels": "Paul, Dupont (2014): Kernel methods for mixed feature selection. ESANN",
    "stability": "Ben Brahim (2015): Stable and efficient feature selection methods for high "
    "dimensional data. Thesis, Université de Tunis",
}


@dataclass(frozen=True)
class Experiment:
    """A table or figure of a paper.

    Parameters
    ----------
    name : str
        Name on the command line: paper, slash, table or figure.
    source : str
        Tables and figures of the paper.
    title : str
        The comparison, in one line.
    function : str
        Name of the function in the module of the paper, or ``module.function`` if it is in another
        one; empty if we have none.
    data : tuple of str
        Public data sets, of which at least one is needed; empty if the data are generated.
    files : tuple of str
        Files of the folder of data sets that are needed and are not data sets themselves.
    processes : tuple of str
        Processes that come with fsops and compute the values; empty if operators do.
    missing : str
        Which data do not exist; empty if they do.
    unfinished : str
        Why fsops has no function for the experiment yet; empty if it has.
    """

    name: str
    source: str
    title: str
    function: str = ""
    data: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    processes: tuple[str, ...] = ()
    missing: str = ""
    unfinished: str = ""

    @property
    def obstacle(self) -> str:
        """Why the experiment cannot be run anywhere; empty if it can."""
        return self.missing or self.unfinished

    @property
    def paper(self) -> str:
        """Key of the paper."""
        return self.name.partition("/")[0]

    @property
    def has_data(self) -> bool:
        """Whether the data exist here: all files, and at least one of the data sets."""
        from fsops.papers.setting import has_file, is_available

        some = not self.data or any(map(is_available, self.data))
        return some and all(map(has_file, self.files))

    @property
    def local_obstacle(self) -> str:
        """Why the experiment cannot be run here; empty if it can."""
        if self.obstacle or self.has_data:
            return self.obstacle
        return "its data sets do not exist here; fsops data describe NAME says how to get them"

    def facts(self) -> dict[str, Any]:
        """Return source, data and processes for lists and JSON documents."""
        return {
            "name": self.name,
            "paper": PAPERS[self.paper],
            "source": self.source,
            "title": self.title,
            "data": [*self.data, *self.files] or ["generated, or part of fsops"],
            "processes": list(self.processes),
            "obstacle": self.local_obstacle,
        }

    def measure(self, setting: Setting) -> Measured:
        """Run the experiment."""
        if not self.function:
            raise UsageError(f'The experiment "{self.name}" cannot be run: {self.obstacle}')
        return self.implementation(setting)

    @property
    def implementation(self) -> Callable[[Setting], Measured]:
        """The function that measures."""
        module, _, name = self.function.rpartition(".")
        package = import_module(f"fsops.papers.experiments.{module or self.paper}")
        function: Callable[[Setting], Measured] = getattr(package, name)
        return function


GENES = ("dlbcl", "lymphoma", "prostate", "breast", "cns", "lung")

EXPERIMENTS = (
    Experiment(
        "schowe/table_1",
        "Table 1",
        "recursive elimination of 20 attributes by 30 % per round, replayed from the printed ranks",
        "table_1",
    ),
    Experiment(
        "schowe/table_2",
        "Table 2",
        "weights and ranks of the golf data by maximum relevance",
        "table_2",
        processes=("papers/schowe_2011_table_2",),
    ),
    Experiment(
        "schowe/figure_3",
        "Figure 3",
        "accuracy over the number of attributes: MRMR with naive Bayes and 1-NN, baselines on all",
        "figure_3",
        data=("colon",),
    ),
    Experiment(
        "schowe/figures_4_and_5",
        "Figures 4 and 5",
        "filters and wrappers on generated data of the same shape: accuracy and time",
        "wrappers.figures_4_and_5",
    ),
    Experiment(
        "schowe/figure_6",
        "Figure 6",
        "stability of MRMR and of an ensemble of ten over the number of attributes",
        "figure_6",
        data=("colon",),
        processes=("papers/schowe_2011_figure_6",),
    ),
    Experiment(
        "knife/table_1",
        "Table 1",
        "linear regression with ten attributes, five of them relevant",
        "table_1",
        processes=("papers/knife/table_1_linear",),
    ),
    Experiment(
        "knife/table_2",
        "Table 2",
        "regression on sines with ten attributes, five of them relevant",
        "table_2",
        processes=("papers/knife/table_2_sinusoidal",),
    ),
    Experiment(
        "knife/table_3",
        "Table 3",
        "two classes on the skin of an orange, ten attributes, four of them relevant",
        "table_3",
        processes=("papers/knife/table_3_orange",),
    ),
    Experiment(
        "knife/table_4",
        "Table 4",
        "error of SIS, RFE and KNIFE with a linear SVM on halves of Colon",
        "table_4",
        data=("colon",),
    ),
    Experiment(
        "knife/table_5",
        "Table 5",
        "median correlation among the genes that SIS and KNIFE select",
        "table_5",
        data=("colon",),
    ),
    Experiment(
        "knife/vowel",
        "Section 4.2, Figure 7",
        "error of KNIFE and an SVM for two vowels",
        "knife_voices.vowel",
        data=("vowel",),
    ),
    Experiment(
        "knife/table_6",
        "Table 6",
        "voice measurements that KNIFE selects for Parkinson's disease",
        "knife_voices.table_6",
        data=("parkinsons",),
    ),
    Experiment(
        "knife/figures_1_and_2",
        "Figures 1 and 2",
        "error of an SVM and of KNIFE while noise attributes are added",
        "knife_figures.figures_1_and_2",
    ),
    Experiment(
        "knife/figures_3_and_4",
        "Figures 3 and 4",
        "objective of KNIFE over the iterations and over both penalties",
        "knife_figures.figures_3_and_4",
    ),
    Experiment(
        "knife/figures_5_and_6",
        "Figures 5 and 6",
        "weights of KNIFE over the penalty: sines and the skin of an orange",
        "knife_figures.figures_5_and_6",
    ),
    Experiment(
        "filter_svm/madelon",
        "Tables 1 to 3, Madelon",
        "balanced error of the Gaussian SVM on 20 attributes, and the chosen number",
        "madelon",
        data=("madelon",),
        processes=("papers/filter_svm/madelon",),
    ),
    Experiment(
        "filter_svm/arcene",
        "Tables 1 to 3, Arcene",
        "balanced error of the linear SVM on 4700 attributes, and the chosen number",
        "arcene",
        data=("arcene",),
        processes=("papers/filter_svm/arcene",),
    ),
    Experiment(
        "filter_svm/dexter",
        "Tables 1 to 3, Dexter",
        "balanced error of the linear SVM on 3714 attributes",
        "challenge.dexter",
        files=("dexter_coo.parquet", "dexter_labels.csv"),
    ),
    Experiment(
        "filter_svm/dorothea",
        "Tables 1 to 3, Dorothea",
        "balanced error of the Gaussian SVM on 1000 attributes",
        "challenge.dorothea",
        files=("dorothea_coo.parquet", "dorothea_labels.csv"),
    ),
    Experiment(
        "filter_svm/figure_1",
        "Figure 1",
        "error of linear SVMs on Arcene over their cost",
        "challenge.figure_1",
        data=("arcene",),
    ),
    Experiment(
        "filter_svm/figure_2",
        "Figure 2",
        "scores of all attributes of Arcene",
        "challenge.figure_2",
        data=("arcene",),
    ),
    Experiment(
        "filter_svm/gisette",
        "Tables 1 to 3, Gisette",
        "balanced error of the Gaussian SVM on 1700 attributes",
        missing="no copy of Gisette was found.",
    ),
    Experiment(
        "mixed_kernels/heart",
        "Figure 1, Heart",
        "balanced classification rate and stability of four selections by number of attributes",
        "heart",
        data=("heart",),
        processes=("papers/mixed_kernels/heart",),
    ),
    Experiment(
        "mixed_kernels/hepatitis",
        "Figure 1, Hepatitis",
        "balanced classification rate and stability of four selections by number of attributes",
        "hepatitis",
        data=("hepatitis",),
        processes=("papers/mixed_kernels/hepatitis",),
    ),
    Experiment(
        "mixed_kernels/arrhythmia",
        "Figure 1, Arrhythmia",
        "balanced classification rate and stability of four selections by number of attributes",
        "arrhythmia",
        data=("arrhythmia",),
    ),
    Experiment(
        "mixed_kernels/breast",
        "Figure 1, van 't Veer",
        "balanced classification rate and stability of four selections by number of attributes",
        "breast",
        data=("breast",),
    ),
    Experiment(
        "mixed_kernels/friedman",
        "Figure 2",
        "mean ranks of the four selections over all data sets and sizes",
        "friedman",
        data=("heart", "hepatitis", "arrhythmia", "breast"),
        processes=("papers/mixed_kernels/heart", "papers/mixed_kernels/hepatitis"),
    ),
    Experiment(
        "stability/tables_2_3_and_2_4",
        "Tables 2.3 and 2.4, Figures 2.2 to 2.8",
        "best number of proposals of the instance-based filters",
        "proposals.tables_2_3_and_2_4",
        data=("lymphoma", "cns", "dlbcl"),
    ),
    Experiment(
        "stability/table_2_5",
        "Table 2.5",
        "instance-based filters, Relief, mRMR, t-test and entropy with k-NN",
        "table_2_5",
        data=GENES,
        processes=("papers/stability/instance_based_filters",),
    ),
    Experiment(
        "stability/table_2_6",
        "Table 2.6",
        "instance-based filters, Relief, mRMR, t-test and entropy with an SVM",
        "table_2_6",
        data=GENES,
        processes=("papers/stability/instance_based_filters",),
    ),
    Experiment(
        "stability/instance_based_filters",
        "Section 2.3.3",
        "stability of instance-based filters, Relief and mRMR; values scaled or as they are",
        "claims.instance_based",
        data=("lymphoma", "cns", "dlbcl"),
    ),
    Experiment(
        "stability/table_2_8",
        "Tables 2.7 and 2.8",
        "hybrid and randomized wrappers beside the t-test and Relief",
        "table_2_8",
        data=GENES,
        processes=("papers/stability/hybrids",),
    ),
    Experiment(
        "stability/table_2_9",
        "Table 2.9",
        "seconds of the hybrid wrappers",
        "proposals.table_2_9",
        data=("lymphoma", "cns", "dlbcl"),
        processes=("papers/stability/hybrids",),
    ),
    Experiment(
        "stability/table_3_2",
        "Table 3.2",
        "one selection or a vote of classifiers on Credit",
        missing="the Credit data of 2970 rows are not public.",
    ),
    Experiment(
        "stability/table_3_3",
        "Table 3.3",
        "one selection or a vote of classifiers on CNS",
        "table_3_3",
        data=("cns",),
        processes=("papers/stability/selections_or_classifiers",),
    ),
    Experiment(
        "stability/table_3_4",
        "Table 3.4",
        "one selection or a vote of classifiers on Leukemia",
        "table_3_4",
        data=("leukemia",),
        processes=("papers/stability/selections_or_classifiers",),
    ),
    Experiment(
        "stability/table_3_5",
        "Table 3.5, appendix A",
        "bootstraps of Relief, combined in seven ways or as a vote",
        "table_3_5",
        data=GENES,
    ),
    Experiment(
        "stability/relief_ensembles",
        "Section 3.3",
        "stability of bootstraps of Relief on all rows or on rows drawn at random",
        "claims.relief_ensembles",
        data=("lymphoma", "cns", "dlbcl"),
    ),
    Experiment(
        "stability/table_3_6",
        "Table 3.6, appendix A",
        "bootstraps of mRMR, combined in seven ways or as a vote",
        "table_3_6",
        data=GENES,
    ),
    Experiment(
        "stability/table_3_7",
        "Table 3.7, appendix A",
        "bootstraps of the t-test, combined in seven ways or as a vote",
        "table_3_7",
        data=GENES,
    ),
    Experiment(
        "stability/table_3_8",
        "Table 3.8, appendix A",
        "Relief, mRMR and the t-test, combined in seven ways or as a vote",
        "table_3_8",
        data=GENES,
    ),
    Experiment(
        "stability/tables_4_2_to_4_4",
        "Tables 4.2 to 4.4",
        "Relief, mRMR and RFE with and without prior knowledge",
        "tables_4_2_to_4_4",
        data=("dlbcl", "lung"),
        processes=("papers/stability/prior_knowledge",),
    ),
    Experiment(
        "stability/priors",
        "Section 4.2.3",
        "stability with known genes, without, and with genes drawn at random",
        "claims.priors",
        data=("dlbcl",),
    ),
    Experiment(
        "stability/tables_4_5_to_4_7",
        "Tables 4.5 to 4.7",
        "iterations of SS-l2AROM until convergence",
        "tables_4_5_to_4_7",
        data=("dlbcl", "lung"),
        processes=("papers/stability/convergence",),
    ),
    Experiment(
        "stability/table_4_8",
        "Table 4.8",
        "SS-l2AROM, PS-l2AROM and RFE",
        "table_4_8",
        data=("dlbcl", "lung"),
        processes=("papers/stability/zero_norm",),
    ),
    Experiment(
        "stability/table_4_9",
        "Table 4.9",
        "McNemar's test of SS-l2AROM, PS-l2AROM and RFE",
        "table_4_9",
        data=("dlbcl", "lung"),
        processes=("papers/stability/zero_norm",),
    ),
)


def find_experiment(name: str) -> Experiment:
    """Return an experiment by its name, or raise an error with the nearest name."""
    names = [experiment.name for experiment in EXPERIMENTS]
    if name not in names:
        hint = did_you_mean(name, names) or "List all with: fsops papers list"
        raise UsageError(f'There is no experiment "{name}".', hint=hint)
    return EXPERIMENTS[names.index(name)]
