from django.urls import path

from assess.pyramids import views

# /campaigns/<slug>/scores/pyramids/<number>/: files of pyramids; the pages are in metrics/pyramids
urlpatterns = [
    path(
        "campaigns/<slug:slug>/scores/pyramids/<int:number>/file/",
        views.pyramid_file,
        name="pyramid_file",
    ),
    path(
        "campaigns/<slug:slug>/scores/pyramids/<int:number>/withdraw/",
        views.pyramid_withdraw,
        name="pyramid_withdraw",
    ),
    path(
        "campaigns/<slug:slug>/scores/pyramids/<int:number>/peers/<int:pk>/file/",
        views.pyramid_peer_file,
        name="pyramid_peer_file",
    ),
    path(
        "campaigns/<slug:slug>/scores/pyramids/<int:number>/peers/<int:pk>/withdraw/",
        views.pyramid_peer_withdraw,
        name="pyramid_peer_withdraw",
    ),
]
