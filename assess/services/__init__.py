"""The only writers of the first floor, one module a noun. They never see a request."""
