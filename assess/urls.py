from django.urls import path

from assess import views

app_name = "assess"

# /campaigns/<slug>/
campaign_urls = [
    path("campaigns/<slug:slug>/", views.overview, name="overview"),
    path("campaigns/<slug:slug>/progress/", views.progress, name="progress"),
    path("campaigns/<slug:slug>/budget/", views.budget, name="budget"),
    path("campaigns/<slug:slug>/settings/", views.settings, name="settings"),
]

# /campaigns/<slug>/judging/: the organiser's side
judging_urls = [
    path("campaigns/<slug:slug>/judging/", views.judging, name="judging"),
    path("campaigns/<slug:slug>/pool/top-up/", views.top_up, name="top_up"),
    path("campaigns/<slug:slug>/judging/load/", views.judgments_load, name="judgments_load"),
    path("campaigns/<slug:slug>/judging/machines/", views.machine_list, name="machine_list"),
    path("campaigns/<slug:slug>/judging/invite/", views.judge_invite, name="judge_invite"),
    path("campaigns/<slug:slug>/judging/plan/", views.plan, name="plan"),
    path("campaigns/<slug:slug>/judging/cannot-judge/", views.refusals, name="refusals"),
    path("campaigns/<slug:slug>/judging/probes/", views.probes, name="probes"),
    path("campaigns/<slug:slug>/judging/probes/withdraw/", views.probes_withdraw, name="probes_withdraw"),
]

# /campaigns/<slug>/judging/topics/<number>/: who has one topic
topic_urls = [
    path("campaigns/<slug:slug>/judging/topics/<str:number>/", views.topic_judges, name="topic_judges"),
    path("campaigns/<slug:slug>/judging/topics/<str:number>/move/", views.topic_move, name="topic_move"),
    path(
        "campaigns/<slug:slug>/judging/topics/<str:number>/take-back/",
        views.topic_take_back,
        name="topic_take_back",
    ),
]

# /campaigns/<slug>/judging/consistency/: how steady each judge is
consistency_urls = [
    path("campaigns/<slug:slug>/judging/consistency/", views.consistency, name="consistency"),
    path(
        "campaigns/<slug:slug>/judging/consistency/<int:pk>/topics/<str:number>/",
        views.judge_labels,
        name="judge_labels",
    ),
]

# /campaigns/<slug>/people/
people_urls = [
    path("campaigns/<slug:slug>/people/", views.people, name="people"),
    path("campaigns/<slug:slug>/people/<int:pk>/remove/", views.member_remove, name="member_remove"),
    path(
        "campaigns/<slug:slug>/people/invitations/<int:pk>/revoke/",
        views.invitation_revoke,
        name="invitation_revoke",
    ),
]

# /invitations/
invitation_urls = [path("invitations/<str:token>/", views.invitation, name="invitation")]

# /campaigns/<slug>/judge/: the judge's side
judge_urls = [
    path("campaigns/<slug:slug>/judge/outbox/", views.outbox, name="outbox"),
    path("campaigns/<slug:slug>/judge/", views.my_topics, name="my_topics"),
    path("campaigns/<slug:slug>/judge/topics/<str:number>/", views.judge, name="judge"),
    path(
        "campaigns/<slug:slug>/judge/topics/<str:number>/recent/", views.recent_labels, name="recent_labels"
    ),
    path("campaigns/<slug:slug>/judge/<int:pk>/", views.judgment_card, name="judgment_card"),
    path("campaigns/<slug:slug>/judge/<int:pk>/parts/<int:part>/", views.document_part, name="document_part"),
]

# /campaigns/<slug>/panels/: two runs side by side
panel_urls = [
    path("campaigns/<slug:slug>/judging/panels/", views.panel_setup, name="panel_setup"),
    path("campaigns/<slug:slug>/panels/", views.panel_list, name="panel_list"),
    path("campaigns/<slug:slug>/panels/<int:pk>/topics/<str:number>/", views.panel_topic, name="panel_topic"),
    path(
        "campaigns/<slug:slug>/panels/<int:pk>/topics/<str:number>/<slug:side>/<int:rank>/",
        views.panel_document,
        name="panel_document",
    ),
]

# /campaigns/<slug>/agreement/: the page, its parts, its files, and the documents behind its figures
agreement_urls = [
    path("campaigns/<slug:slug>/agreement/", views.agreement, name="agreement"),
    path("campaigns/<slug:slug>/agreement/news/", views.agreement_news, name="agreement_news"),
    path("campaigns/<slug:slug>/agreement/overall/", views.agreement_overall, name="agreement_overall"),
    path("campaigns/<slug:slug>/agreement/matrix/", views.agreement_matrix, name="agreement_matrix"),
    path("campaigns/<slug:slug>/agreement/pairs/", views.agreement_pairs, name="agreement_pairs"),
    path("campaigns/<slug:slug>/agreement/confusion/", views.agreement_confusion, name="agreement_confusion"),
    path("campaigns/<slug:slug>/agreement/topics/", views.agreement_topics, name="agreement_topics"),
    path("campaigns/<slug:slug>/agreement/judges/", views.agreement_judges, name="agreement_judges"),
    path("campaigns/<slug:slug>/agreement/drift/", views.agreement_drift, name="agreement_drift"),
    path("campaigns/<slug:slug>/agreement/csv/", views.agreement_csv, name="agreement_csv"),
    path("campaigns/<slug:slug>/agreement/json/", views.agreement_json, name="agreement_json"),
    path("campaigns/<slug:slug>/agreement/pairs/tsv/", views.agreement_pairs_tsv, name="agreement_pairs_tsv"),
    path("campaigns/<slug:slug>/agreement/labels/", views.labels, name="labels"),
    path("campaigns/<slug:slug>/agreement/documents/", views.agreement_documents, name="agreement_documents"),
    path(
        "campaigns/<slug:slug>/agreement/documents/<int:pk>/",
        views.agreement_document,
        name="agreement_document",
    ),
]

# /campaigns/<slug>/adjudication/
adjudication_urls = [
    path("campaigns/<slug:slug>/adjudication/", views.adjudication, name="adjudication"),
    path(
        "campaigns/<slug:slug>/adjudication/reasons/", views.adjudication_reasons, name="adjudication_reasons"
    ),
    path("campaigns/<slug:slug>/adjudication/claim/", views.claim, name="claim"),
    path("campaigns/<slug:slug>/adjudication/<int:pk>/", views.settle, name="settle"),
    path("campaigns/<slug:slug>/adjudication/<int:pk>/reopen/", views.reopen, name="reopen"),
    path(
        "campaigns/<slug:slug>/adjudication/<int:pk>/parts/<int:part>/",
        views.dispute_part,
        name="dispute_part",
    ),
]

# /campaigns/<slug>/qrels/
qrels_urls = [
    path("campaigns/<slug:slug>/qrels/", views.release_list, name="release_list"),
    path("campaigns/<slug:slug>/qrels/preview/", views.release_preview, name="release_preview"),
    path("campaigns/<slug:slug>/qrels/diff/", views.release_diff, name="release_diff"),
    path("campaigns/<slug:slug>/qrels/diff/tsv/", views.release_diff_tsv, name="release_diff_tsv"),
    path("campaigns/<slug:slug>/qrels/<int:number>/", views.release, name="release"),
    path(
        "campaigns/<slug:slug>/qrels/<int:number>/files/<slug:kind>/", views.release_file, name="release_file"
    ),
    path("campaigns/<slug:slug>/qrels/<int:number>/file/", views.qrels_file, name="qrels_file"),
    path("campaigns/<slug:slug>/qrels/<int:number>/manifest/", views.qrels_manifest, name="qrels_manifest"),
]

urlpatterns = [
    *judge_urls,  # first: every label goes there
    *campaign_urls,
    *judging_urls,
    *topic_urls,
    *consistency_urls,
    *people_urls,
    *invitation_urls,
    *panel_urls,
    *agreement_urls,
    *adjudication_urls,
    *qrels_urls,
]
