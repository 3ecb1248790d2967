"""Words of biologists and statisticians for operators: the ones that they expect come first."""

from __future__ import annotations

import re
from dataclasses import dataclass

TESTS = (
    "weight_by_t_test", "weight_by_welch_test", "weight_by_wilcoxon", "weight_by_f_test",
)  # fmt: skip


@dataclass(frozen=True)
class Synonyms:
    """Operators that some words mean, the best first."""

    words: tuple[str, ...]
    keys: tuple[str, ...]
    reason: str
    """Why they are found, shown beside each of them."""
    only: bool = False
    """Whether nothing else is meant."""


ENTRIES = (
    Synonyms(
        ("mrmr", "minimum redundancy"), ("select_by_mrmr_cfs", "select_by_pk_mrmr"), "small sets"
    ),
    Synonyms(
        ("gene ranking", "rank genes", "ranking of genes", "gene list"),
        ("weight_by_sam", *TESTS, "weight_by_fisher_score", "weight_by_relieff"),
        "a weight for each gene",
    ),
    Synonyms(
        ("differential expression", "differentially expressed", "deg", "degs", "limma", "deseq"),
        ("weight_by_sam", "weight_by_moderated_t", *TESTS),
        "compares the classes gene by gene",
    ),
    Synonyms(
        ("benjamini", "benjamini hochberg", "false discovery", "false discovery rate", "fdr",
         "q value", "multiple testing", "bonferroni", "holm", "adjusted p value"),
        (*TESTS, "weight_by_sam"),
        "parameter: adjustment of p-values",
        only=True,
    ),
    Synonyms(("p value", "p values", "significance", "significant genes"),
          (*TESTS, "weight_by_sam"), "gives p-values", only=True),
    Synonyms(
        ("t test", "ttest", "student t test"),
        ("weight_by_t_test", "weight_by_welch_test", "t_test"),
        "tests attributes; T-Test compares performances",
    ),
    Synonyms(("welch", "unequal variances"), ("weight_by_welch_test",), "t-test"),
    Synonyms(("mann whitney", "rank sum", "nonparametric test", "u test"), ("weight_by_wilcoxon",),
          "rank test"),
    Synonyms(("anova", "analysis of variance"), ("weight_by_f_test", "anova"), "F-test"),
    Synonyms(
        ("biomarker", "biomarkers", "signature", "gene signature", "marker genes"),
        ("ensemble_feature_selection", "feature_selection_stability_validation",
         "compare_feature_selections", "aggregate_weights", "weight_by_sam"),
        "attributes that are chosen again and again",
    ),
    Synonyms(("stable genes", "reproducibility", "bootstrap selection"),
          ("ensemble_feature_selection", "feature_selection_stability_validation"), "stability"),
    Synonyms(("label", "outcome column", "class column"), ("set_role",), "gives a column its role"),
    Synonyms(("scale", "scaling", "z score", "standardize", "standardise", "zscore"),
          ("normalize", "scale_by_weights"), "brings columns to one scale"),
    Synonyms(("normalise", "normalisation", "normalization"), ("normalize",), "one scale"),
    Synonyms(("pca", "principal components"), ("principal_component_analysis", "weight_by_pca"),
          "projection"),
    Synonyms(("impute", "imputation", "missing data", "fill missing", "gaps"),
          ("replace_missing_values", "impute_knn"), "fills missing values"),
    Synonyms(("one hot", "dummy variables", "one hot encoding"), ("nominal_to_numerical",),
          "a column per category"),
    Synonyms(("nested cv", "nested cross validation", "double cross validation", "honest error"),
          ("cross_validation", "optimize_parameters_grid", "wrapper_x_validation"),
          "selection inside the folds"),
    Synonyms(("hyperparameter", "hyperparameters", "tuning", "grid search", "tune"),
          ("optimize_parameters_grid", "optimize_parameters_evolutionary"), "searches settings"),
    Synonyms(("permutation test", "shuffle labels", "chance level", "null distribution"),
          ("measure_chance", "permutation_baseline"), "permuted labels"),
    Synonyms(("forward selection", "stepwise"),
          ("optimize_selection_forward", "optimize_selection_backward"), "wrapper search"),
    Synonyms(("rfe", "recursive feature elimination"),
          ("select_by_svm_rfe", "recursive_feature_elimination"), "elimination"),
    Synonyms(("rank product", "consensus ranking", "combine rankings"), ("aggregate_weights",),
          "combines weights"),
    Synonyms(("confusion matrix", "accuracy", "sensitivity", "specificity"),
          ("performance", "performance_binominal_classification", "performance_classification"),
          "scores of a model"),
    Synonyms(("batch effect", "remove correlated", "redundant genes", "collinear", "collinearity"),
          ("remove_correlated_attributes",), "redundant attributes"),
    Synonyms(("low variance", "filter genes", "constant columns"),
          ("remove_useless_attributes", "weight_by_deviation"), "attributes that hardly vary"),
    Synonyms(("imbalance", "oversampling", "imbalanced classes"),
          ("smote_upsampling", "sample_stratified"), "classes of unequal size"),
    Synonyms(("exchange rows and columns", "genes in rows"), ("transpose",), "rows become columns"),
    Synonyms(("feature importance", "variable importance"),
          ("weight_by_random_forest", "weight_by_svm", "weight_by_lasso", "weight_by_relieff"),
          "weights of attributes"),
)  # fmt: skip

PLOTS = frozenset((
    "plot", "plots", "volcano", "heatmap", "chart", "figure", "histogram", "boxplot", "scatter",
    "upset",
))  # fmt: skip


def plain_words(text: str) -> str:
    """Return words in small letters, without signs."""
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def meant(words: str) -> Synonyms | None:
    """Return the entry whose words were typed, or begun with at least six letters."""
    wanted = plain_words(words)
    for entry in ENTRIES:
        if wanted in entry.words:
            return entry
    if len(wanted) < 6:
        return None
    return next((e for e in ENTRIES if any(w.startswith(wanted) for w in e.words)), None)


def is_about_plots(words: str) -> bool:
    """Return whether words ask for a figure, which needs no operator."""
    return bool(PLOTS & set(plain_words(words).split()))
