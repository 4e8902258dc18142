"""Whether a difference between systems is more than chance: one module for each kind of answer.

Two systems: t_test, randomisation, bootstrap, and rank_tests for comparison with older papers. Many systems:
pairwise (each pair alone, corrected), tukey (two-way analysis of variance), randomised_tukey. Beside p:
effect_size, corrections, letters, discriminative_power.
"""
