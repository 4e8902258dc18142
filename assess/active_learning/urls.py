from django.urls import path

from assess.active_learning.views import reviews as views
from assess.active_learning.views import searches

BASE = "campaigns/<slug:slug>/judging/high-recall/"

# collections, and the reviews that are to find all relevant documents in them
urlpatterns = [
    path(BASE, views.review_list, name="review_list"),
    path(f"{BASE}collections/", views.collection_load, name="collection_load"),
    path(f"{BASE}collections/stored/", views.collection_of_stored, name="collection_of_stored"),
    path(f"{BASE}collections/<int:number>/remove/", views.collection_remove, name="collection_remove"),
    path(f"{BASE}costs/", views.review_costs, name="review_costs"),
    path(f"{BASE}topics/<topic:number>/", views.review, name="review"),
    path(f"{BASE}topics/<topic:number>/next/", views.review_next, name="review_next"),
    path(f"{BASE}topics/<topic:number>/sample/", views.review_sample, name="review_sample"),
    path(f"{BASE}topics/<topic:number>/stop/", views.review_stop, name="review_stop"),
    path(f"{BASE}topics/<topic:number>/discard/", views.review_discard, name="review_discard"),
    path(f"{BASE}topics/<topic:number>/tsv/", views.review_file, name="review_file"),
    path(
        "campaigns/<slug:slug>/judge/topics/<topic:number>/search/",
        searches.review_search,
        name="review_search",
    ),
]
