from django.urls import path

from pooling import views

app_name = "pooling"

# / and what begins there
campaign_urls = [
    path("", views.campaign_list, name="campaign_list"),
    path("new-campaign/", views.campaign_new, name="campaign_new"),
]

# /campaigns/<slug>/topics/
topic_urls = [
    path("campaigns/<slug:slug>/topics/", views.topic_list, name="topic_list"),
    path("campaigns/<slug:slug>/topics/<str:number>/", views.topic, name="topic"),
]

# /campaigns/<slug>/runs/
run_urls = [
    path("campaigns/<slug:slug>/runs/", views.run_list, name="run_list"),
    path("campaigns/<slug:slug>/report/", views.report, name="report"),
    path("campaigns/<slug:slug>/runs/<str:tag>/", views.run, name="run"),
    path("campaigns/<slug:slug>/runs/<str:tag>/file/", views.run_file, name="run_file"),
]

# /campaigns/<slug>/pool/
pool_urls = [
    path("campaigns/<slug:slug>/pool/", views.pool, name="pool"),
    path("campaigns/<slug:slug>/pool/draft/", views.pool_draft, name="pool_draft"),
    path("campaigns/<slug:slug>/pool/strategies/", views.pool_strategies, name="pool_strategies"),
    path("campaigns/<slug:slug>/pool/overlap/", views.pool_overlap, name="pool_overlap"),
    path("campaigns/<slug:slug>/pool/<int:number>/docnos/", views.pool_docnos, name="pool_docnos"),
    path("campaigns/<slug:slug>/pool/<int:number>/manifest/", views.pool_manifest, name="pool_manifest"),
]

# /campaigns/<slug>/documents/
document_urls = [
    path("campaigns/<slug:slug>/documents/", views.document_list, name="document_list"),
    path("campaigns/<slug:slug>/documents/report/", views.document_report, name="document_report"),
    path("campaigns/<slug:slug>/documents/missing/", views.documents_missing, name="documents_missing"),
]

# /campaigns/<slug>/trail/
trail_urls = [
    path("campaigns/<slug:slug>/trail/", views.trail, name="trail"),
    path("campaigns/<slug:slug>/trail/file/", views.trail_file, name="trail_file"),
]

# /campaigns/<slug>/jobs/
job_urls = [
    path("campaigns/<slug:slug>/jobs/", views.job_list, name="job_list"),
    path("campaigns/<slug:slug>/jobs/<int:pk>/", views.job, name="job"),
    path("campaigns/<slug:slug>/jobs/<int:pk>/cancel/", views.job_cancel, name="job_cancel"),
]

urlpatterns = [
    *campaign_urls,
    *topic_urls,
    *run_urls,
    *pool_urls,
    *document_urls,
    *trail_urls,
    *job_urls,
]
