"""The reads of the top floor that need a name, one module a noun. They never write."""
