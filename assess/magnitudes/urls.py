from django.urls import path

from assess.magnitudes import views

# /campaigns/<slug>/magnitudes/: numbers in proportion to relevance
urlpatterns = [
    path("campaigns/<slug:slug>/judging/magnitudes/", views.magnitude_setup, name="magnitude_setup"),
    path("campaigns/<slug:slug>/judging/magnitudes/<int:number>/", views.magnitude_set, name="magnitude_set"),
    path(
        "campaigns/<slug:slug>/judging/magnitudes/<int:number>/discard/",
        views.magnitude_discard,
        name="magnitude_discard",
    ),
    path(
        "campaigns/<slug:slug>/judging/magnitudes/<int:number>/judges/<int:pk>/give/",
        views.magnitude_handover,
        name="magnitude_handover",
    ),
    path("campaigns/<slug:slug>/magnitudes/outbox/", views.magnitude_outbox, name="magnitude_outbox"),
    path("campaigns/<slug:slug>/magnitudes/", views.magnitude_list, name="magnitude_list"),
    path("campaigns/<slug:slug>/magnitudes/<int:pk>/", views.magnitude, name="magnitude"),
]
