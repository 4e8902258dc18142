"""The URLs of the site: those of each app."""

from django.contrib import admin
from django.urls import include, path

from config import api

urlpatterns = [
    path("admin/", admin.site.urls),
    path("api/", api.urls),
    path("", include("assess.urls")),  # before the others, because every label goes there
    path("", include("config.operations.urls")),
    path("", include("accounts.urls")),
    path("", include("pooling.urls")),
    path("", include("metrics.urls")),
]

handler400 = "config.operations.views.bad_request"
handler500 = "config.operations.views.server_error"
