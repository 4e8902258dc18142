from django.urls import path

from config.operations import views

app_name = "operations"

# Each is answered before any other middleware: see `middleware.probes`. So no part of a path is a variable.
urlpatterns = [
    path("health/live/", views.live, name="live"),
    path("health/ready/", views.ready, name="ready"),
    path("metrics/", views.metrics, name="metrics"),
]
