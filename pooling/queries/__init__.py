"""The reads of the ground floor that need a name, one module a noun. They never write."""
