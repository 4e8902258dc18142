"""The measures, one module per family. Each lists its own in KINDS; `metrics.measures.registry` gathers them.

A new measure is a function and its `MeasureKind` in one of these modules: what is left out fails at import.

All measures see one ranking: score descending, ties by docno descending, as trec_eval sorts. (Peers are not
of one mind: ir_measures sorts ties for Compat, Judged and RR@k ascending, cwl_eval and pyndeval keep the
order of the file. ir_measures ends the overlap of Compat at the longer list, and not at depth 1000.)
"""
