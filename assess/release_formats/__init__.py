"""The files of a release: what each is called and holds, and how its lines are written."""
