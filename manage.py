#!/usr/bin/env python
"""Jurypool's command line: `python manage.py help`."""

from config.__main__ import main

if __name__ == "__main__":
    main()
