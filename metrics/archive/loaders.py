"""Example programs that load a collection, one for each common tool, and its dataset for ir_datasets."""

from __future__ import annotations

from collections.abc import Mapping

DATASET_MODULE = "ir_dataset.py"


def loaders(threshold: int) -> dict[str, str]:
    """Return file name -> program, to be run in the folder that the archive unpacks to.

    threshold: the lowest grade that is relevant. Topic numbers and docnos are read as text.
    """
    return {
        "load_with_pandas.py": PANDAS,
        "load_with_polars.py": POLARS,
        "load_with_ir_datasets.py": IR_DATASETS,
        "load_with_pyterrier.py": PYTERRIER.replace("THRESHOLD", str(threshold)),
        "load_with_beir.py": BEIR,
    }


def dataset_module(name: str, grades: Mapping[int, str]) -> str:
    """Return a Python module that registers the collection with ir_datasets as `jurypool/{name}`.

    name: of the folder. grades: grade -> its meaning.
    """
    return MODULE.replace("@NAME@", f"jurypool/{name}").replace("@GRADES@", repr(dict(grades)))


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
POLARS = """\
# Qrels, topics and scores as tables.
import polars as pl

text = pl.String
qrels = pl.read_csv(
    "qrels.txt", separator=" ",
    has_header=False, quote_char=None,
    schema={
        "topic": text, "q0": text,
        "docno": text,
        "relevance": pl.Int64})
topics = pl.read_ndjson("topics.jsonl")
scores = pl.read_csv(
    "scores/scores.csv",
    schema_overrides={
        "topic": text, "run": text})
"""
IR_DATASETS = """\
# Qrels and topics as a dataset; documents too
# if corpus.jsonl is in the folder.
import sys

import ir_datasets

sys.path.insert(0, ".")
import ir_dataset  # registers the dataset

dataset = ir_datasets.load(ir_dataset.NAME)
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
BEIR = """\
# Corpus, queries and qrels. First add
# corpus.jsonl: _id, title and text.
from beir.datasets.data_loader import (
    GenericDataLoader)

loader = GenericDataLoader(data_folder=".")
corpus, queries, qrels = loader.load("test")
"""
MODULE = '''\
"""This collection as a dataset for ir_datasets; an import of this module registers it.

    import ir_dataset, ir_datasets
    dataset = ir_datasets.load(ir_dataset.NAME)

The dataset has queries and qrels. It has documents if corpus.jsonl is beside this file: one JSON object a
line with _id, title and text.
"""

from pathlib import Path
from typing import NamedTuple

import ir_datasets
from ir_datasets.formats import JsonlDocs, JsonlQueries, TrecQrels
from ir_datasets.formats.trec import TrecQuery
from ir_datasets.util import LocalDownload

NAME = "@NAME@"
GRADES = @GRADES@
FOLDER = Path(__file__).resolve().parent


class Document(NamedTuple):
    doc_id: str
    title: str
    text: str

    def default_text(self):
        return f"{self.title} {self.text}"


def local(name):
    return LocalDownload(FOLDER / name, mkdir=False)


def parts():
    topic_fields = {name: name for name in ("title", "description", "narrative")}
    yield JsonlQueries(local("topics.jsonl"), TrecQuery, {"query_id": "number", **topic_fields})
    yield TrecQrels(local("qrels.txt"), GRADES)
    if (FOLDER / "corpus.jsonl").exists():
        yield JsonlDocs(local("corpus.jsonl"), Document, {"doc_id": "_id", "title": "title", "text": "text"})


if NAME not in ir_datasets.registry:
    ir_datasets.registry.register(NAME, ir_datasets.Dataset(*parts()))
'''
