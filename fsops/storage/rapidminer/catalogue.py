"""The core operators of RapidMiner Studio 9.x by group, and why some have no counterpart."""

from __future__ import annotations

from collections.abc import Mapping

from fsops.core.checks.decided import decision

CORE: Mapping[str, str] = {
    "Data access": """
        retrieve store rename_repository_entry copy_repository_entry move_repository_entry
        delete_repository_entry read_csv read_excel read_excel_format read_url read_aml write_csv
        write_excel write_special write_aml read_arff write_arff read_weights write_weights
        read_constructions write_constructions read_database write_database""",
    "Names, roles and types": """
        rename rename_by_replacing rename_by_generic_names rename_by_constructions
        rename_by_example_values set_role exchange_roles numerical_to_binominal
        numerical_to_polynominal numerical_to_real numerical_to_date real_to_integer
        nominal_to_binominal nominal_to_text nominal_to_numerical nominal_to_date text_to_nominal
        date_to_numerical date_to_nominal parse_numbers format_numbers guess_types""",
    "Selection and generation of attributes": """
        select_attributes select_by_weights select_by_random remove_attribute_range
        remove_useless_attributes remove_correlated_attributes work_on_subset order_attributes
        generate_attributes generate_id generate_empty_attribute generate_copy
        generate_concatenation generate_aggregation generate_absolutes generate_products
        generate_gaussians generate_function_set generate_tfidf generate_item_set_indicators
        generate_weight_stratification generate_weight_lpr""",
    "Rows and tables": """
        filter_examples filter_example_range sample sample_stratified sample_bootstrapping
        sample_kennard_stone sample_model_based split_data sort sort_by_pareto_rank shuffle
        aggregate pivot de_pivot transpose append join set_minus intersect union superset
        cartesian_product""",
    "Values": """
        map replace replace_dictionary split cut trim merge add remap_binominals set_data
        adjust_date""",
    "Cleansing": """
        normalize denormalize scale_by_weights discretize_by_size discretize_by_bins
        discretize_by_frequency discretize_by_user_specification discretize_by_entropy
        replace_missing_values impute_missing_values declare_missing_value
        replace_infinite_values remove_unused_values fill_data_gaps remove_duplicates
        detect_outlier_distances detect_outlier_densities detect_outlier_lof detect_outlier_cof
        principal_component_analysis principal_component_analysis_kernel
        independent_component_analysis generalized_hebbian_algorithm
        singular_value_decomposition self_organizing_map fourier_transformation""",
    "Learners": """
        default_model k_nn naive_bayes naive_bayes_kernel decision_tree parallel_decision_tree
        decision_tree_multiway decision_tree_weight_based id3 chaid decision_stump random_tree
        random_forest parallel_random_forest rule_induction single_rule_induction
        single_rule_induction_single_attribute subgroup_discovery tree_to_rules neural_net auto_mlp
        perceptron linear_regression polynomial_regression vector_linear_regression
        local_polynomial_regression seemingly_unrelated_regression gaussian_process
        relevance_vector_machine logistic_regression logistic_regression_evolutionary
        support_vector_machine support_vector_machine_libsvm support_vector_machine_linear
        support_vector_machine_evolutionary support_vector_machine_pso fast_large_margin
        hyper_hyper linear_discriminant_analysis quadratic_discriminant_analysis
        regularized_discriminant_analysis""",
    "Ensembles and models": """
        vote polynomial_by_binomial_classification hierarchical_multi_class_classification
        hierarchical_classification classification_by_regression additive_regression
        relative_regression transformed_regression bayesian_boosting subgroup_discovery_meta
        adaboost bagging stacking metacost find_threshold_meta update_model group_models
        ungroup_models create_formula apply_model rescale_confidences drop_uncertain_predictions
        generate_prediction generate_prediction_ranking find_threshold create_threshold
        apply_threshold select_recall""",
    "Clustering": """
        k_means k_means_kernel fast_k_means x_means k_medoids dbscan
        expectation_maximization_clustering support_vector_clustering random_clustering
        agglomerative_clustering top_down_clustering flatten_clustering extract_prototypes
        clustermodel_2_exampleset cluster_count_performance cluster_distance_performance
        cluster_density_performance item_distribution_performance map_clustering_on_labels""",
    "Associations": """
        fp_growth create_association_rules apply_association_rules
        generalized_sequential_patterns item_sets_to_data unify_item_sets""",
    "Correlations and similarities": """
        correlation_matrix covariance_matrix anova_matrix grouped_anova transition_matrix
        transition_graph mututal_information_matrix rainflow_matrix data_to_similarity
        data_to_similarity_data similarity_to_data cross_distances""",
    "Weights of attributes": """
        weight_by_information_gain weight_by_information_gain_ratio weight_by_rule
        weight_by_value_average weight_by_deviation weight_by_correlation
        weight_by_chi_squared_statistic weight_by_gini_index weight_by_forest weight_by_uncertainty
        weight_by_relief weight_by_svm weight_by_pca weight_by_component_model
        weight_by_user_specification data_to_weights weights_to_data""",
    "Optimization": """
        optimize_parameters_grid optimize_parameters_quadratic optimize_parameters_evolutionary
        set_parameters clone_parameters optimize_selection_forward optimize_selection_backward
        optimize_selection optimize_selection_brute_force optimize_selection_weight_guided
        optimize_selection_evolutionary optimize_by_generation_evolutionary_aggregation
        optimize_by_generation_gga optimize_by_generation_aga optimize_by_generation_yagga
        optimize_by_generation_yagga2 optimize_weights_forward optimize_weights_backward
        optimize_weights_evolutionary optimize_weights_pso""",
    "Validation": """
        cross_validation x_validation x_prediction batch_x_validation split_validation
        bootstrapping_validation wrapper_split_validation wrapper_x_validation
        create_learning_curve performance performance_classification
        performance_binominal_classification performance_regression performance_costs
        performance_ranking performance_support_vector_count performance_attribute_count
        performance_user_based performance_min_max performance_to_data extract_performance
        combine_performances t_test anova create_lift_chart compare_rocs visualize_model_by_som""",
    "Control": """
        subprocess multiply branch select_subprocess execute_process loop loop_attributes
        loop_attribute_subsets loop_values loop_files loop_examples loop_labels loop_clusters
        loop_batches loop_data_sets loop_data_fractions loop_parameters loop_and_average
        loop_and_deliver_best loop_until loop_collection loop_repository loop_zipfile_entries
        collect select average flatten_collection handle_exception throw_exception remember recall
        publish_to_app recall_from_app join_paths""",
    "Macros, logs and annotations": """
        set_macro set_macros generate_macro extract_macro unset_macro log clear_log
        extract_log_value provide_macro_as_log_value log_to_weights log_to_data print_to_console
        annotate annotations_to_data data_to_annotations extract_macro_from_annotation""",
    "Files and the system": """
        open_file write_file write_message write_as_text rename_file copy_file move_file delete_file
        create_directory create_archive_file add_entry_to_archive_file execute_script
        execute_program execute_sql send_mail delay free_memory materialize_data""",
    "Generated data": """
        generate_data generate_data_user_specification generate_nominal_data
        generate_multi_label_data generate_massive_data generate_direct_mailing_data
        generate_churn_data generate_up_selling_data generate_sales_data
        generate_team_profit_data generate_transfer_data generate_transaction_data add_noise
        create_exampleset""",
}
"""Keys of operators without the prefixes of RapidMiner's modules."""

OUT_OF_SCOPE: Mapping[str, str] = {
    "Clustering": "fsops selects attributes; clusters are not its subject",
    "Data access": "use Read CSV, Read Excel, Retrieve and Store",
    "Files and the system": "a process of fsops does not change files of others; use the shell",
    "Generated data": "data of a story; Generate Data makes data with known functions",
    "Macros, logs and annotations": "fsops has no annotations, and one log per process",
    "Correlations and similarities": "not needed around a selection so far",
}
"""Reasons for the missing operators of a group."""
DIFFERENT: Mapping[str, str] = {
    "k_nn": "`compatibility`: votes weighted by distance as there",
    "naive_bayes": "`compatibility`: smoothing and deviation as there",
    "weight_by_relief": "`compatibility`: distance and scale as there",
    "weight_by_information_gain_ratio": "`compatibility`: the split with the best ratio",
    "weight_by_gini_index": "`compatibility`: the split with the best Gini gain",
    "discretize_by_frequency": "`compatibility`: limits midway between values",
    "date_to_numerical": "`compatibility`: weeks begin on Sunday",
    "decision_tree": "`algorithm` c4.5: gain ratio, prepruning and pruning as there",
    "parallel_decision_tree": "`algorithm` c4.5: gain ratio, prepruning and pruning as there",
    "decision_stump": "a tree with one split",
    "id3": "a tree without pruning",
    "random_forest": "scikit-learn's trees: Gini, no pruning",
    "parallel_random_forest": "scikit-learn's trees: Gini, no pruning",
    "linear_regression": "M5 prime and T-Test as there; greedy becomes M5 prime",
    "logistic_regression": "scikit-learn's solver; no kernels but the linear one",
    "support_vector_machine": "LIBSVM or liblinear in place of mySVM; C = 0 becomes 1",
    "support_vector_machine_linear": "LIBSVM or liblinear in place of mySVM; C = 0 becomes 1",
    "neural_net": "other random numbers at the start; no decay",
    "loop_attributes": "the old one hands its table on",
    "wrapper_x_validation": "with `scale_by_weights`, as there",
    "wrapper_split_validation": "with `scale_by_weights`, as there",
    "optimize_parameters_evolutionary": "other random numbers and step sizes",
    "optimize_selection_evolutionary": "other random numbers",
    "optimize_weights_evolutionary": "other random numbers",
    "sample": "other random numbers",
    "sample_stratified": "other random numbers",
    "sample_bootstrapping": "other random numbers",
    "split_data": "other random numbers",
    "shuffle": "other random numbers",
    "cross_validation": "other random numbers: other folds",
    "x_validation": "other random numbers: other folds",
    "split_validation": "other random numbers: other rows",
    "bootstrapping_validation": "other random numbers: other rows",
    "generate_data": "other random numbers",
    "add_noise": "other random numbers",
    "de_pivot": "the other attributes keep their roles",
    "execute_process": "the other process must be in the folder of this one",
    "free_memory": "nothing to do: memory is freed by itself",
    "date_to_nominal": "English names of months and days, no time zones",
    "nominal_to_date": "English names of months and days, no time zones",
    "generate_macro": "macros are numbers unless they are in quotes",
}
"""Differences that remain after the import, by key."""


def difference(key: str) -> str:
    """Return how an operator differs from RapidMiner's after the import; empty if it does not."""
    return DIFFERENT.get(key, "")


def missing_because(key: str) -> str:
    """Return why an operator is missing."""
    decided = decision(key)
    if decided:
        return decided.partition(": ")[2].partition(". ")[0]
    group = next((name for name, text in CORE.items() if key in text.split()), "")
    return OUT_OF_SCOPE.get(group, "not built yet; write to us if you need it")
