from django.urls import path

from metrics.confusion import views

# /campaigns/<slug>/scores/confusion/: which classes are taken for which
urlpatterns = [
    path("campaigns/<slug:slug>/scores/confusion/", views.confusion, name="confusion"),
    path("campaigns/<slug:slug>/scores/confusion/tsv/", views.confusion_file, name="confusion_file"),
]
