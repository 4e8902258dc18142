"""The reads of the first floor that need a name, one module a noun. They never write."""
