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
    path(
        "campaigns/<slug:slug>/interleaving/<int:number>/clicks/<int:pk>/",
        views.interleaving_clicks,
        name="interleaving_clicks",
    ),
    path(
        "campaigns/<slug:slug>/interleaving/<int:number>/clicks/<int:pk>/withdraw/",
        views.interleaving_clicks_withdraw,
        name="interleaving_clicks_withdraw",
    ),
    path(
        "campaigns/<slug:slug>/interleaving/<int:number>/clicks/<int:pk>/restore/",
        views.interleaving_clicks_restore,
        name="interleaving_clicks_restore",
    ),
    path(
        "campaigns/<slug:slug>/interleaving/<int:number>/clicks/<int:pk>/replace/",
        views.interleaving_clicks_replace,
        name="interleaving_clicks_replace",
    ),
]
