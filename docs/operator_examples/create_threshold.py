from fsops.operators import create_threshold

print(create_threshold(threshold=0.7, first_class="benign", second_class="malignant"))
