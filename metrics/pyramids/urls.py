from django.urls import path

from metrics.pyramids import views

# /campaigns/<slug>/scores/pyramids/: pyramids of topics, and scores of summaries against them
urlpatterns = [
    path("campaigns/<slug:slug>/scores/pyramids/", views.pyramid_list, name="pyramid_list"),
    path("campaigns/<slug:slug>/scores/pyramids/tsv/", views.pyramid_scores_file, name="pyramid_scores_file"),
    path("campaigns/<slug:slug>/scores/pyramids/<int:number>/", views.pyramid, name="pyramid"),
]
