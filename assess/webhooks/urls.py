from django.urls import path

from assess.webhooks import views

# /campaigns/<slug>/webhooks/: other tools that are told what happens
urlpatterns = [
    path("campaigns/<slug:slug>/webhooks/", views.webhook_list, name="webhook_list"),
    path("campaigns/<slug:slug>/webhooks/<int:pk>/test/", views.webhook_test, name="webhook_test"),
    path("campaigns/<slug:slug>/webhooks/<int:pk>/remove/", views.webhook_remove, name="webhook_remove"),
]
