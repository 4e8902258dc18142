"""ARGUE scores of answers, from the labels of a matching and of a set of citations."""
