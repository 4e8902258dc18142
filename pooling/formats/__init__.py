"""One reader per file format: bytes -> columns or small records. What is wrong is said with its line.

Every form is told from the content. Bad bytes raise `BadFile` or `BadLine` (`files`) only. What holds for
every format: UTF-8, with or without a byte order mark; lines end with LF or CRLF; a docno has at most 200
bytes; nothing is normalised.
"""
