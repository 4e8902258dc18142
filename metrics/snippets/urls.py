from django.urls import path

from metrics.snippets import views

# /campaigns/<slug>/scores/snippets/: grades of snippets beside those of their documents
urlpatterns = [
    path("campaigns/<slug:slug>/scores/snippets/", views.snippet_result_list, name="snippet_result_list"),
    path("campaigns/<slug:slug>/scores/snippets/<int:number>/", views.snippet_result, name="snippet_result"),
    path(
        "campaigns/<slug:slug>/scores/snippets/<int:number>/grades/",
        views.snippet_grades_file,
        name="snippet_grades_file",
    ),
]
