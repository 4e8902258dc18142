from django.urls import path

from metrics.panels import views

# /campaigns/<slug>/scores/panels/<pk>/: what judges said of two runs side by side
urlpatterns = [
    path("campaigns/<slug:slug>/scores/panels/<int:pk>/", views.panel_result, name="panel_result"),
]
