"""Crash and load on a real server: gunicorn as `config/gunicorn.py` starts it, a data folder of its own.

Under pytest each trial is small and asserts what must hold; `make soak` runs them in full and prints
figures.
"""
