from django.urls import path

from assess.panels import views

# /campaigns/<slug>/panels/: two runs side by side
urlpatterns = [
    path("campaigns/<slug:slug>/judging/panels/", views.panel_setup, name="panel_setup"),
    path("campaigns/<slug:slug>/panels/outbox/", views.votes, name="votes"),
    path("campaigns/<slug:slug>/panels/", views.panel_list, name="panel_list"),
    path(
        "campaigns/<slug:slug>/panels/<int:pk>/topics/<topic:number>/", views.panel_topic, name="panel_topic"
    ),
    path(
        "campaigns/<slug:slug>/panels/<int:pk>/topics/<topic:number>/<slug:side>/<int:rank>/",
        views.panel_document,
        name="panel_document",
    ),
    path(
        "campaigns/<slug:slug>/panels/<int:pk>/topics/<topic:number>/<slug:side>/<int:rank>/images/<slug:sha256>/",
        views.panel_image,
        name="panel_image",
    ),
]
