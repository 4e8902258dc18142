from django.urls import path

from metrics.interleaving import views

# /campaigns/<slug>/interleaving/: two runs merged into lists for users
urlpatterns = [
    path("campaigns/<slug:slug>/interleaving/", views.interleaving_list, name="interleaving_list"),
    path("campaigns/<slug:slug>/interleaving/<int:number>/", views.interleaving, name="interleaving"),
    path(
        "campaigns/<slug:slug>/interleaving/<int:number>/lists/<slug:form>/",
        views.interleaving_lists,
        name="interleaving_lists",
    ),
    path(
        "campaigns/<slug:slug>/interleaving/<int:number>/csv/",
        views.interleaving_csv,
        name="interleaving_csv",
    ),
]
