from django.urls import path

from assess.clicks import views

# /campaigns/<slug>/judging/clicks/: labels from clicks of users
urlpatterns = [
    path("campaigns/<slug:slug>/judging/clicks/", views.click_log_list, name="click_log_list"),
    path("campaigns/<slug:slug>/judging/clicks/<int:number>/", views.click_log, name="click_log"),
    path(
        "campaigns/<slug:slug>/judging/clicks/<int:number>/csv/",
        views.click_log_csv,
        name="click_log_csv",
    ),
    path(
        "campaigns/<slug:slug>/judging/clicks/<int:number>/describe/",
        views.click_log_describe,
        name="click_log_describe",
    ),
    path(
        "campaigns/<slug:slug>/judging/clicks/<int:number>/withdraw/",
        views.click_log_withdraw,
        name="click_log_withdraw",
    ),
    path(
        "campaigns/<slug:slug>/judging/clicks/<int:number>/restore/",
        views.click_log_restore,
        name="click_log_restore",
    ),
    path(
        "campaigns/<slug:slug>/judging/clicks/<int:number>/replace/",
        views.click_log_replace,
        name="click_log_replace",
    ),
]
