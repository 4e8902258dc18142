"""The votes of judges on two runs side by side."""
