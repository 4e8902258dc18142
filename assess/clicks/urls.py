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
]
