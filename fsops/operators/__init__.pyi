from .control.collections import (
    collect as collect,
    flatten as flatten,
    select as select,
)
from .control.loops import (
    loop as loop,
    loop_and_average as loop_and_average,
    loop_attributes as loop_attributes,
    loop_collection as loop_collection,
    loop_values as loop_values,
)
from .control.macros import (
    generate_macro as generate_macro,
    unset_macro as unset_macro,
)
from .control.memory import (
    extract_macro as extract_macro,
    recall as recall,
    remember as remember,
    set_macro as set_macro,
    set_macros as set_macros,
)
from .control.processes import (
    execute_process as execute_process,
)
from .control.settings import (
    set_parameters as set_parameters,
)
from .control.structure import (
    branch as branch,
    handle_exception as handle_exception,
    multiply as multiply,
    select_subprocess as select_subprocess,
    subprocess as subprocess,
)
from .control.subsets import (
    loop_and_deliver_best as loop_and_deliver_best,
    throw_exception as throw_exception,
    work_on_subset as work_on_subset,
)
from .data_access.create import (
    create_exampleset as create_exampleset,
)
from .data_access.generate import (
    generate_data as generate_data,
)
from .data_access.mailing import (
    generate_direct_mailing_data as generate_direct_mailing_data,
)
from .data_access.read import (
    read_arff as read_arff,
    read_csv as read_csv,
    read_excel as read_excel,
    read_geo_series_matrix as read_geo_series_matrix,
    read_parquet as read_parquet,
    read_weights as read_weights,
)
from .data_access.read_foreign import (
    read_r as read_r,
    read_statistics_file as read_statistics_file,
)
from .data_access.read_sparse import (
    read_anndata as read_anndata,
    read_coordinates as read_coordinates,
    read_matrix_market as read_matrix_market,
    read_svmlight as read_svmlight,
)
from .data_access.retrieve import (
    retrieve as retrieve,
    store as store,
)
from .data_access.write import (
    write_arff as write_arff,
    write_constructions as write_constructions,
    write_csv as write_csv,
    write_excel as write_excel,
    write_parquet as write_parquet,
    write_special_format as write_special_format,
    write_weights as write_weights,
)
from .data_access.write_sparse import (
    write_anndata as write_anndata,
    write_coordinates as write_coordinates,
    write_matrix_market as write_matrix_market,
    write_svmlight as write_svmlight,
)
from .modeling.apply import (
    apply_model as apply_model,
    group_models as group_models,
)
from .modeling.bayes import (
    naive_bayes as naive_bayes,
)
from .modeling.binary import (
    polynomial_by_binomial_classification as polynomial_by_binomial_classification,
)
from .modeling.boosting import (
    adaboost as adaboost,
    metacost as metacost,
    stacking as stacking,
)
from .modeling.calibration import (
    rescale_confidences as rescale_confidences,
)
from .modeling.challenge_svm import (
    hard_margin_svm as hard_margin_svm,
)
from .modeling.clusters import (
    cluster_distance_performance as cluster_distance_performance,
    dbscan as dbscan,
    expectation_maximization_clustering as expectation_maximization_clustering,
    k_means as k_means,
    k_medoids as k_medoids,
)
from .modeling.curved import (
    gaussian_process as gaussian_process,
    generalized_linear_model as generalized_linear_model,
    polynomial_regression as polynomial_regression,
)
from .modeling.default import (
    default_model as default_model,
)
from .modeling.ensembles import (
    bagging as bagging,
    classification_by_regression as classification_by_regression,
    vote as vote,
)
from .modeling.generic import (
    sklearn_estimator as sklearn_estimator,
)
from .modeling.hierarchies import (
    agglomerative_clustering as agglomerative_clustering,
    flatten_clustering as flatten_clustering,
)
from .modeling.knife import (
    knife_model as knife_model,
)
from .modeling.lars import (
    lars as lars,
    lars_change_model_parameters as lars_change_model_parameters,
)
from .modeling.lazy import (
    k_nn as k_nn,
    nearest_centroid as nearest_centroid,
)
from .modeling.linear import (
    elastic_net as elastic_net,
    lasso_regression as lasso_regression,
    linear_discriminant_analysis as linear_discriminant_analysis,
    linear_regression as linear_regression,
    logistic_regression as logistic_regression,
    ridge_regression as ridge_regression,
)
from .modeling.neural import (
    neural_net as neural_net,
)
from .modeling.rules import (
    rule_induction as rule_induction,
)
from .modeling.subset_ensemble import (
    ensemble_of_classifiers as ensemble_of_classifiers,
)
from .modeling.survival import (
    cox_regression as cox_regression,
    form_risk_groups as form_risk_groups,
)
from .modeling.svm import (
    kernel_ridge as kernel_ridge,
    support_vector_machine as support_vector_machine,
)
from .modeling.thresholds import (
    apply_threshold as apply_threshold,
    create_threshold as create_threshold,
    find_threshold as find_threshold,
)
from .modeling.trees import (
    decision_tree as decision_tree,
    gradient_boosting as gradient_boosting,
    random_forest as random_forest,
)
from .preparation.aggregate import (
    aggregate as aggregate,
)
from .preparation.attribute_groups import (
    set_attribute_groups as set_attribute_groups,
)
from .preparation.attribute_tools import (
    exchange_roles as exchange_roles,
    generate_concatenation as generate_concatenation,
    generate_copy as generate_copy,
    generate_empty_attribute as generate_empty_attribute,
    remove_attribute_range as remove_attribute_range,
    rename_by_generic_names as rename_by_generic_names,
    select_by_random as select_by_random,
)
from .preparation.attributes import (
    order_attributes as order_attributes,
    rename as rename,
    rename_by_replacing as rename_by_replacing,
    select_attributes as select_attributes,
)
from .preparation.batches import adjust_batches as adjust_batches
from .preparation.binning import (
    discretize_by_bins as discretize_by_bins,
    discretize_by_deviation as discretize_by_deviation,
    discretize_by_entropy as discretize_by_entropy,
    discretize_by_frequency as discretize_by_frequency,
    discretize_by_user_specification as discretize_by_user_specification,
)
from .preparation.binning_by_size import (
    discretize_by_size as discretize_by_size,
)
from .preparation.cleaning import (
    declare_missing_value as declare_missing_value,
    map_values as map_values,
    remove_duplicates as remove_duplicates,
    remove_unused_values as remove_unused_values,
    replace_in_values as replace_in_values,
)
from .preparation.coding import (
    nominal_to_binominal as nominal_to_binominal,
    nominal_to_numerical as nominal_to_numerical,
    nominal_to_text as nominal_to_text,
    numerical_to_binominal as numerical_to_binominal,
    numerical_to_polynominal as numerical_to_polynominal,
    numerical_to_real as numerical_to_real,
    text_to_nominal as text_to_nominal,
)
from .preparation.components import (
    principal_component_analysis as principal_component_analysis,
)
from .preparation.constructions import (
    read_constructions as read_constructions,
)
from .preparation.counts import (
    normalize_library_size as normalize_library_size,
    tf_idf as tf_idf,
)
from .preparation.dates import (
    date_to_nominal as date_to_nominal,
    date_to_numerical as date_to_numerical,
    nominal_to_date as nominal_to_date,
)
from .preparation.decompositions import (
    generalized_hebbian_algorithm as generalized_hebbian_algorithm,
    independent_component_analysis as independent_component_analysis,
    self_organizing_map as self_organizing_map,
    singular_value_decomposition as singular_value_decomposition,
)
from .preparation.expressions import (
    generate_attributes as generate_attributes,
    generate_id as generate_id,
)
from .preparation.imputation import (
    impute_knn as impute_knn,
)
from .preparation.joins import join as join
from .preparation.missing import (
    replace_missing_values as replace_missing_values,
    replace_missing_values_with_offset as replace_missing_values_with_offset,
)
from .preparation.noise import (
    add_noise as add_noise,
)
from .preparation.outliers import (
    detect_outlier_distances as detect_outlier_distances,
    detect_outlier_lof as detect_outlier_lof,
    smote_upsampling as smote_upsampling,
)
from .preparation.pivoting import (
    de_pivot as de_pivot,
    pivot as pivot,
)
from .preparation.redundancy import (
    remove_correlated_attributes as remove_correlated_attributes,
    remove_useless_attributes as remove_useless_attributes,
)
from .preparation.roles import (
    mark_attributes as mark_attributes,
    set_role as set_role,
)
from .preparation.rows import (
    filter_example_range as filter_example_range,
    filter_examples as filter_examples,
    shuffle as shuffle,
    sort as sort,
)
from .preparation.sampling import (
    sample as sample,
    sample_bootstrapping as sample_bootstrapping,
    sample_stratified as sample_stratified,
    split_data as split_data,
)
from .preparation.scaling import (
    normalize as normalize,
)
from .preparation.sklearn_transformer import (
    sklearn_transformer as sklearn_transformer,
)
from .preparation.table_sets import (
    cartesian_product as cartesian_product,
    intersect as intersect,
    set_minus as set_minus,
    superset as superset,
    union as union,
)
from .preparation.tables import (
    append as append,
    materialize_data as materialize_data,
    transpose as transpose,
)
from .preparation.values import (
    add_value as add_value,
    generate_absolutes as generate_absolutes,
    keep_characters as keep_characters,
    merge_values as merge_values,
    parse_numbers as parse_numbers,
    real_to_integer as real_to_integer,
    replace_infinite_values as replace_infinite_values,
    trim_values as trim_values,
)
from .search.brute_force import (
    optimize_selection_brute_force as optimize_selection_brute_force,
)
from .search.climbing import (
    optimize_selection_hill_climbing as optimize_selection_hill_climbing,
)
from .search.evolutionary import (
    optimize_selection_evolutionary as optimize_selection_evolutionary,
    optimize_weights_evolutionary as optimize_weights_evolutionary,
)
from .search.evolutionary_parameters import (
    optimize_parameters_evolutionary as optimize_parameters_evolutionary,
)
from .search.generation import (
    optimize_by_generation_yagga as optimize_by_generation_yagga,
)
from .search.parameters import (
    loop_parameters as loop_parameters,
    optimize_parameters_grid as optimize_parameters_grid,
)
from .search.sequential import (
    optimize_selection as optimize_selection,
    optimize_selection_backward as optimize_selection_backward,
    optimize_selection_floating as optimize_selection_floating,
    optimize_selection_forward as optimize_selection_forward,
)
from .search.weight_guided import (
    optimize_selection_weight_guided as optimize_selection_weight_guided,
)
from .selection.aggregation import (
    aggregate_weights as aggregate_weights,
)
from .selection.arom import (
    select_by_l1_arom as select_by_l1_arom,
    select_by_l2_arom as select_by_l2_arom,
    select_by_ps_l2_arom as select_by_ps_l2_arom,
    select_by_ss_l2_arom as select_by_ss_l2_arom,
)
from .selection.boruta import (
    select_by_boruta as select_by_boruta,
)
from .selection.by_weights import (
    select_by_weights as select_by_weights,
    select_top_k as select_top_k,
)
from .selection.elimination import (
    recursive_feature_elimination as recursive_feature_elimination,
    select_by_svm_rfe as select_by_svm_rfe,
)
from .selection.ensemble import (
    ensemble_feature_selection as ensemble_feature_selection,
)
from .selection.ensembles_of_selections import (
    ensemble_of_selections as ensemble_of_selections,
)
from .selection.group_path import select_by_group_lasso_path as select_by_group_lasso_path
from .selection.heterogeneous import (
    select_by_hfs as select_by_hfs,
)
from .selection.hybrid import (
    select_by_hib_css as select_by_hib_css,
    select_by_hib_sbs as select_by_hib_sbs,
    select_by_hyb_seq as select_by_hyb_seq,
    select_by_randomized_wrapper as select_by_randomized_wrapper,
)
from .selection.instance_based import (
    ib_candidate_subsets as ib_candidate_subsets,
    select_by_ib as select_by_ib,
)
from .selection.joint import (
    select_by_fcbf as select_by_fcbf,
    select_by_jmi_cmim as select_by_jmi_cmim,
)
from .selection.kernel_elimination import (
    select_by_kernel_rfe as select_by_kernel_rfe,
)
from .selection.knockoffs import (
    knockoff_filter as knockoff_filter,
    select_by_knockoffs as select_by_knockoffs,
)
from .selection.mrmr import (
    mrmr_cache_creator as mrmr_cache_creator,
    performance_cfs as performance_cfs,
    performance_mrmr as performance_mrmr,
    select_by_mrmr_cfs as select_by_mrmr_cfs,
)
from .selection.number import (
    choose_number_of_features as choose_number_of_features,
)
from .selection.paths import (
    select_by_cox_path as select_by_cox_path,
    select_by_elastic_net_path as select_by_elastic_net_path,
    select_by_shrunken_centroids as select_by_shrunken_centroids,
)
from .selection.prior_knowledge import (
    prior_knowledge as prior_knowledge,
    select_by_pk_mrmr as select_by_pk_mrmr,
    select_by_pk_rfe as select_by_pk_rfe,
    weight_by_pk_relief as weight_by_pk_relief,
)
from .selection.ranking import (
    rank_by_selection as rank_by_selection,
    weights_to_ranking as weights_to_ranking,
)
from .selection.sklearn_selector import (
    sklearn_selector as sklearn_selector,
)
from .selection.stability_selection import (
    stability_selection as stability_selection,
)
from .utility.logging import (
    log as log,
    log_performance as log_performance,
    log_to_data as log_to_data,
)
from .validation.anova_matrix import (
    anova_matrix as anova_matrix,
)
from .validation.chance import (
    measure_chance as measure_chance,
)
from .validation.charts import (
    compare_rocs as compare_rocs,
    create_lift_chart as create_lift_chart,
)
from .validation.classification import (
    performance_binominal_classification as performance_binominal_classification,
    performance_classification as performance_classification,
    performance_costs as performance_costs,
)
from .validation.compare import (
    compare_feature_selections as compare_feature_selections,
)
from .validation.cross import (
    cross_validation as cross_validation,
)
from .validation.descriptions import (
    describe_attributes as describe_attributes,
)
from .validation.holdout import (
    bootstrapping_validation as bootstrapping_validation,
    repeated_random_split as repeated_random_split,
    split_validation as split_validation,
)
from .validation.learning_curve import (
    create_learning_curve as create_learning_curve,
)
from .validation.min_max import (
    performance_min_max as performance_min_max,
)
from .validation.performance import (
    performance as performance,
)
from .validation.permutation import (
    permutation_baseline as permutation_baseline,
)
from .validation.regression import (
    performance_regression as performance_regression,
)
from .validation.significance import (
    anova as anova,
    friedman_test as friedman_test,
    mcnemar_test as mcnemar_test,
    t_test as t_test,
)
from .validation.stability import (
    feature_selection_stability_validation as feature_selection_stability_validation,
)
from .validation.survival import performance_survival as performance_survival
from .validation.vectors import (
    combine_performances as combine_performances,
    extract_performance as extract_performance,
    performance_attribute_count as performance_attribute_count,
    performance_to_data as performance_to_data,
)
from .validation.wrapper import (
    wrapper_split_validation as wrapper_split_validation,
    wrapper_x_validation as wrapper_x_validation,
)
from .weighting.component_model import (
    weight_by_component_model as weight_by_component_model,
)
from .weighting.conversion import (
    average as average,
    data_to_weights as data_to_weights,
    scale_by_weights as scale_by_weights,
    weights_to_data as weights_to_data,
)
from .weighting.correlation_matrix import (
    correlation_matrix as correlation_matrix,
)
from .weighting.cox import weight_by_cox as weight_by_cox
from .weighting.drop_column import (
    weight_by_drop_column as weight_by_drop_column,
)
from .weighting.enrichment import (
    group_enrichment as group_enrichment,
)
from .weighting.information import (
    weight_by_chi_squared as weight_by_chi_squared,
    weight_by_gini_index as weight_by_gini_index,
    weight_by_information_gain as weight_by_information_gain,
    weight_by_information_gain_ratio as weight_by_information_gain_ratio,
    weight_by_mutual_information as weight_by_mutual_information,
    weight_by_symmetric_uncertainty as weight_by_symmetric_uncertainty,
)
from .weighting.kernel import (
    weight_by_kernel_svm as weight_by_kernel_svm,
    weight_by_mkl as weight_by_mkl,
)
from .weighting.kernel_machine import (
    weight_by_kernel_machine as weight_by_kernel_machine,
)
from .weighting.knife import (
    knife_convergence as knife_convergence,
    knife_path as knife_path,
    weight_by_knife as weight_by_knife,
    weights_from_knife_path as weights_from_knife_path,
)
from .weighting.laplacian import (
    weight_by_laplacian_score as weight_by_laplacian_score,
)
from .weighting.models import (
    weight_by_lasso as weight_by_lasso,
    weight_by_pca as weight_by_pca,
    weight_by_random_forest as weight_by_random_forest,
    weight_by_svm as weight_by_svm,
)
from .weighting.moderated import weight_by_moderated_t as weight_by_moderated_t
from .weighting.normalized import (
    normalize_weights as normalize_weights,
)
from .weighting.paired import (
    weight_by_paired_t as weight_by_paired_t,
    weight_by_signed_rank as weight_by_signed_rank,
)
from .weighting.partial import weight_by_partial_correlation as weight_by_partial_correlation
from .weighting.permutation_importance import (
    weight_by_permutation_importance as weight_by_permutation_importance,
)
from .weighting.ranks import (
    weight_by_brunner_munzel as weight_by_brunner_munzel,
    weight_by_kruskal_wallis as weight_by_kruskal_wallis,
)
from .weighting.relevance import (
    weight_by_maximum_relevance as weight_by_maximum_relevance,
)
from .weighting.relief import (
    weight_by_relief as weight_by_relief,
    weight_by_relieff as weight_by_relieff,
)
from .weighting.screening import (
    weight_by_iterative_sis as weight_by_iterative_sis,
)
from .weighting.surf import (
    weight_by_multisurf as weight_by_multisurf,
    weight_by_surf as weight_by_surf,
    weight_by_surf_star as weight_by_surf_star,
    weight_by_turf as weight_by_turf,
)
from .weighting.tests_of_weights import (
    adjust_p_values as adjust_p_values,
    permutation_test_of_weights as permutation_test_of_weights,
)
from .weighting.univariate import (
    weight_by_auc as weight_by_auc,
    weight_by_correlation as weight_by_correlation,
    weight_by_deviation as weight_by_deviation,
    weight_by_entropy as weight_by_entropy,
    weight_by_f_test as weight_by_f_test,
    weight_by_fisher_score as weight_by_fisher_score,
    weight_by_lal_score as weight_by_lal_score,
    weight_by_sam as weight_by_sam,
    weight_by_sis as weight_by_sis,
    weight_by_t_test as weight_by_t_test,
    weight_by_welch_test as weight_by_welch_test,
    weight_by_wilcoxon as weight_by_wilcoxon,
)
