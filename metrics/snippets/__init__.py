"""Results of snippets: how the grade of a snippet and that of its document agree."""
