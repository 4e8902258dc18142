"""The votes of judges on battles: strengths of systems, intervals, checks of the votes."""
