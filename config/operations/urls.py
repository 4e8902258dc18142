from django.urls import path, re_path

from config.operations import documentation, views

app_name = "operations"

# Each is answered before any other middleware: see `middleware.PROBES`. So no part of a path is a variable.
probes = [
    path("health/live/", views.live, name="live"),
    path("health/ready/", views.ready, name="ready"),
    path("metrics/", views.metrics, name="metrics"),
]

urlpatterns = [
    *probes,
    re_path(r"^docs/(?P<rest>.*)$", documentation.missing_page, name="documentation"),
]
