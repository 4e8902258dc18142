"""Judge runs: files of participants in which a program judged the pooled documents."""
