from django.urls import path

from assess.near_duplicates import views

BASE = "campaigns/<slug:slug>/judging/near-duplicates/"

# the classes of near duplicates, and the near copies beside a document of a judge
urlpatterns = [
    path(BASE, views.near_duplicates, name="near_duplicates"),
    path(f"{BASE}freeze/", views.near_duplicates_freeze, name="near_duplicates_freeze"),
    path(f"{BASE}discard/", views.near_duplicates_discard, name="near_duplicates_discard"),
    path(f"{BASE}tsv/", views.near_duplicates_tsv, name="near_duplicates_tsv"),
    path(f"{BASE}<int:pk>/", views.near_duplicate_class, name="near_duplicate_class"),
    path(f"{BASE}<int:pk>/split/", views.near_duplicate_split, name="near_duplicate_split"),
    path("campaigns/<slug:slug>/judge/documents/<int:pk>/copies/", views.near_copies, name="near_copies"),
    path(
        "campaigns/<slug:slug>/judge/documents/<int:pk>/copies/split/",
        views.near_copy_split,
        name="near_copy_split",
    ),
]
