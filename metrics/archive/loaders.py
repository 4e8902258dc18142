"""Example programs that load a collection, one for each common tool."""

from __future__ import annotations


def loaders(threshold: int) -> dict[str, str]:
    """Return file name -> program, to be run in the folder that the archive unpacks to.

    threshold: the lowest grade that is relevant. Topic numbers and docnos are read as text.
    """
    return {
        "load_with_pandas.py": PANDAS,
        "load_with_ir_datasets.py": IR_DATASETS,
        "load_with_pyterrier.py": PYTERRIER.replace("THRESHOLD", str(threshold)),
    }


PANDAS = """\
# Qrels, topics and scores as tables.
import pandas as pd

text = {name: str for name in
        ("topic", "docno", "number", "run")}
qrels = pd.read_csv(
    "qrels.txt", sep=" ", dtype=text,
    names=["topic", "q0", "docno", "relevance"],
    keep_default_na=False, quoting=3)
topics = pd.read_json(
    "topics.jsonl", lines=True, dtype=text)
scores = pd.read_csv(
    "scores/scores.csv", dtype=text)
"""
IR_DATASETS = """\
# Qrels and topics as a dataset; docs_tsv=
# adds documents, which are not in the archive.
import ir_datasets

dataset = ir_datasets.create_dataset(
    queries_tsv="topics.tsv",
    qrels_trec="qrels.txt")
queries = list(dataset.queries_iter())
qrels = list(dataset.qrels_iter())
"""
PYTERRIER = """\
# Qrels and topics for your own rankers.
import pandas as pd
import pyterrier as pt

topics = pd.read_json(
    "topics.jsonl", lines=True,
    dtype={"number": str})
topics = topics.rename(
    columns={"number": "qid", "title": "query"}
)[["qid", "query"]]
qrels = pt.io.read_qrels("qrels.txt")


def compare(*rankers):
    return pt.Experiment(
        list(rankers), topics, qrels,
        ["ndcg_cut_10", pt.measures.AP(rel=THRESHOLD)])
"""
