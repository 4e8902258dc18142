from django.urls import path

from assess.pyramids import views
from assess.pyramids.drafts import views as drafts

# /campaigns/<slug>/scores/pyramids/<number>/: files and drafts; the other pages are in
# metrics/pyramids
urlpatterns = [
    path("campaigns/<slug:slug>/scores/pyramids/new/", drafts.pyramid_draft_new, name="pyramid_draft_new"),
    path(
        "campaigns/<slug:slug>/scores/pyramids/drafts/<int:pk>/", drafts.pyramid_draft, name="pyramid_draft"
    ),
    path(
        "campaigns/<slug:slug>/scores/pyramids/drafts/<int:pk>/units/<int:uid>/",
        drafts.pyramid_draft_unit,
        name="pyramid_draft_unit",
    ),
    path(
        "campaigns/<slug:slug>/scores/pyramids/drafts/<int:pk>/file/",
        drafts.pyramid_draft_file,
        name="pyramid_draft_file",
    ),
    path(
        "campaigns/<slug:slug>/scores/pyramids/drafts/<int:pk>/store/",
        drafts.pyramid_draft_store,
        name="pyramid_draft_store",
    ),
    path(
        "campaigns/<slug:slug>/scores/pyramids/drafts/<int:pk>/discard/",
        drafts.pyramid_draft_discard,
        name="pyramid_draft_discard",
    ),
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
