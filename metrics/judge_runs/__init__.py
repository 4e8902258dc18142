"""Judge runs against the labels of people, and the order of runs that they induce."""
