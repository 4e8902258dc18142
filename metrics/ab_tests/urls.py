from django.urls import path

from metrics.ab_tests import views

# /campaigns/<slug>/ab-tests/: users of two or more variants
urlpatterns = [
    path("campaigns/<slug:slug>/ab-tests/", views.ab_test_list, name="ab_test_list"),
    path("campaigns/<slug:slug>/ab-tests/size/", views.ab_test_size, name="ab_test_size"),
    path("campaigns/<slug:slug>/ab-tests/<int:number>/", views.ab_test, name="ab_test"),
    path("campaigns/<slug:slug>/ab-tests/<int:number>/tsv/", views.ab_test_tsv, name="ab_test_tsv"),
    path("campaigns/<slug:slug>/ab-tests/<int:number>/json/", views.ab_test_json, name="ab_test_json"),
    path(
        "campaigns/<slug:slug>/ab-tests/<int:number>/files/<int:pk>/withdraw/",
        views.ab_test_withdraw,
        name="ab_test_withdraw",
    ),
]
