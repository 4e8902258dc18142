"""The only writers of the ground floor, one module a noun. They never see a request."""
