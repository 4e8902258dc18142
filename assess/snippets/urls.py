from django.urls import path

from assess.snippets import views

# /campaigns/<slug>/snippets/: what a result page shows of a document, graded before the document
urlpatterns = [
    path("campaigns/<slug:slug>/judging/snippets/", views.snippet_setup, name="snippet_setup"),
    path("campaigns/<slug:slug>/judging/snippets/runs/", views.snippet_runs, name="snippet_runs"),
    path(
        "campaigns/<slug:slug>/judging/snippets/runs/<str:tag>/remove/",
        views.snippet_remove,
        name="snippet_remove",
    ),
    path("campaigns/<slug:slug>/judging/snippets/<int:number>/", views.snippet_set, name="snippet_set"),
    path(
        "campaigns/<slug:slug>/judging/snippets/<int:number>/discard/",
        views.snippet_discard,
        name="snippet_discard",
    ),
    path(
        "campaigns/<slug:slug>/judging/snippets/<int:number>/judges/<int:pk>/give/",
        views.snippet_handover,
        name="snippet_handover",
    ),
    path("campaigns/<slug:slug>/runs/<str:tag>/results/", views.run_results, name="run_results"),
    path("campaigns/<slug:slug>/snippets/outbox/", views.snippet_outbox, name="snippet_outbox"),
    path("campaigns/<slug:slug>/snippets/", views.snippet_list, name="snippet_list"),
    path("campaigns/<slug:slug>/snippets/<int:pk>/", views.snippet, name="snippet"),
]
