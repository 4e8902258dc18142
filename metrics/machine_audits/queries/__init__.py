"""What is read of audits: samples, judges, verdicts, figures, scores of runs."""
