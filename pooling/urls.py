from django.urls import path

from pooling.views import audit_log, campaigns, documents, first_organiser, jobs, pools, runs, topics

app_name = "pooling"

# /campaigns/ and /new-campaign/; / is assess:home
campaign_urls = [
    path("campaigns/", campaigns.campaign_list, name="campaign_list"),
    path("new-campaign/", campaigns.campaign_new, name="campaign_new"),
    path("first-organiser/<str:token>/", first_organiser.first_organiser, name="first_organiser"),
]

# /campaigns/<slug>/topics/
topic_urls = [
    path("campaigns/<slug:slug>/topics/", topics.topic_list, name="topic_list"),
    path("campaigns/<slug:slug>/topics/<topic:number>/", topics.topic, name="topic"),
    path("campaigns/<slug:slug>/topics/<topic:number>/edit/", topics.topic_edit, name="topic_edit"),
    path("campaigns/<slug:slug>/topics/<topic:number>/remove/", topics.topic_remove, name="topic_remove"),
]

# /campaigns/<slug>/runs/
run_urls = [
    path("campaigns/<slug:slug>/runs/", runs.run_list, name="run_list"),
    path("campaigns/<slug:slug>/report/", runs.run_report, name="run_report"),
    path("campaigns/<slug:slug>/runs/<str:tag>/", runs.run, name="run"),
    path("campaigns/<slug:slug>/runs/<str:tag>/file/", runs.run_file, name="run_file"),
    path("campaigns/<slug:slug>/runs/<str:tag>/receipt/", runs.run_receipt, name="run_receipt"),
]

# /campaigns/<slug>/pool/
pool_urls = [
    path("campaigns/<slug:slug>/pool/", pools.pool, name="pool"),
    path("campaigns/<slug:slug>/pool/draft/", pools.pool_draft, name="pool_draft"),
    path("campaigns/<slug:slug>/pool/strategies/", pools.pool_strategies, name="pool_strategies"),
    path("campaigns/<slug:slug>/pool/overlap/", pools.pool_overlap, name="pool_overlap"),
    path("campaigns/<slug:slug>/pool/<int:number>/docnos/", pools.pool_docnos, name="pool_docnos"),
    path("campaigns/<slug:slug>/pool/<int:number>/manifest/", pools.pool_manifest, name="pool_manifest"),
]

# /campaigns/<slug>/documents/
document_urls = [
    path("campaigns/<slug:slug>/documents/", documents.document_list, name="document_list"),
    path("campaigns/<slug:slug>/documents/report/", documents.document_report, name="document_report"),
    path("campaigns/<slug:slug>/documents/missing/", documents.documents_missing, name="documents_missing"),
]

# /campaigns/<slug>/trail/
audit_log_urls = [
    path("campaigns/<slug:slug>/trail/", audit_log.audit_log, name="audit_log"),
    path("campaigns/<slug:slug>/trail/file/", audit_log.audit_log_file, name="audit_log_file"),
]

# /campaigns/<slug>/jobs/
job_urls = [
    path("campaigns/<slug:slug>/jobs/", jobs.job_list, name="job_list"),
    path("campaigns/<slug:slug>/jobs/<int:pk>/", jobs.job, name="job"),
    path("campaigns/<slug:slug>/jobs/<int:pk>/cancel/", jobs.job_cancel, name="job_cancel"),
]

urlpatterns = [
    *campaign_urls,
    *topic_urls,
    *run_urls,
    *pool_urls,
    *document_urls,
    *audit_log_urls,
    *job_urls,
]
