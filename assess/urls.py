from django.urls import path

from assess.active_learning import urls as active_learning
from assess.answers import urls as answers
from assess.battle_programs import urls as battle_programs
from assess.battles import urls as battles
from assess.clicks import urls as clicks
from assess.gradings import urls as gradings
from assess.judge_runs import urls as judge_runs
from assess.machines import urls as machines
from assess.magnitudes import urls as magnitudes
from assess.matching_programs import urls as matching_programs
from assess.matchings import urls as matchings
from assess.near_duplicates import urls as near_duplicates
from assess.notes import urls as notes
from assess.nuggets import urls as nuggets
from assess.panels import urls as panels
from assess.preferences import urls as preferences
from assess.pyramids import urls as pyramids
from assess.snippets import urls as snippets
from assess.support import urls as support
from assess.views import (
    adjudication,
    agreement,
    agreement_files,
    assignments,
    audiences,
    campaign_life,
    campaigns,
    consistency,
    cost,
    decisions,
    gold,
    guideline_versions,
    images,
    invitations,
    judge_pages,
    judge_replacement,
    judging,
    judgment_files,
    machine_judges,
    mailings,
    participation,
    people,
    plans,
    pools,
    published_labels,
    refusals,
    releases,
    runs,
    schedule,
    settling,
    sources,
    topic_distribution,
)
from assess.webhooks import urls as webhooks

app_name = "assess"

# /campaigns/<slug>/
campaign_urls = [
    path("campaigns/<slug:slug>/", campaigns.overview, name="overview"),
    path("campaigns/<slug:slug>/progress/", campaigns.progress, name="progress"),
    path("campaigns/<slug:slug>/budget/", campaigns.budget, name="budget"),
    path("campaigns/<slug:slug>/settings/", campaigns.settings, name="settings"),
    path(
        "campaigns/<slug:slug>/settings/versions/",
        guideline_versions.guideline_version_list,
        name="guideline_version_list",
    ),
    path("campaigns/<slug:slug>/settings/clone/", campaign_life.campaign_clone, name="campaign_clone"),
    path("campaigns/<slug:slug>/settings/delete/", campaign_life.campaign_delete, name="campaign_delete"),
    path("campaigns/<slug:slug>/settings/dates/", schedule.schedule, name="schedule"),
    path("campaigns/<slug:slug>/settings/state/", schedule.campaign_state, name="campaign_state"),
]

# /campaigns/<slug>/judging/: pages of organisers
judging_urls = [
    path("campaigns/<slug:slug>/judging/", assignments.judging, name="judging"),
    path("campaigns/<slug:slug>/pool/top-up/", pools.top_up, name="top_up"),
    path("campaigns/<slug:slug>/pool/<int:number>/discard/", pools.pool_discard, name="pool_discard"),
    path(
        "campaigns/<slug:slug>/judging/unassigned/", pools.unassigned_documents, name="unassigned_documents"
    ),
    path("campaigns/<slug:slug>/judging/unassigned/give/", pools.documents_give, name="documents_give"),
    path("campaigns/<slug:slug>/judging/load/", judgment_files.judgments_load, name="judgments_load"),
    path("campaigns/<slug:slug>/judging/machines/", machine_judges.machine_list, name="machine_list"),
    path("campaigns/<slug:slug>/judging/sources/", sources.source_list, name="source_list"),
    path("campaigns/<slug:slug>/judging/sources/<int:pk>/", sources.source, name="source"),
    path(
        "campaigns/<slug:slug>/judging/sources/<int:pk>/withdraw/",
        sources.source_withdraw,
        name="source_withdraw",
    ),
    path(
        "campaigns/<slug:slug>/judging/sources/<int:pk>/restore/",
        sources.source_restore,
        name="source_restore",
    ),
    path(
        "campaigns/<slug:slug>/judging/sources/<int:pk>/replace/",
        sources.source_replace,
        name="source_replace",
    ),
    path("campaigns/<slug:slug>/judging/invite/", assignments.judge_invite, name="judge_invite"),
    path(
        "campaigns/<slug:slug>/judging/judges/<int:pk>/replace/",
        judge_replacement.judge_replace,
        name="judge_replace",
    ),
    path(
        "campaigns/<slug:slug>/judging/distribute/",
        topic_distribution.topics_distribute,
        name="topics_distribute",
    ),
    path("campaigns/<slug:slug>/judging/reminders/", mailings.judge_reminders, name="judge_reminders"),
    path("campaigns/<slug:slug>/judging/plan/", plans.plan, name="plan"),
    path("campaigns/<slug:slug>/judging/cost/", cost.cost, name="cost"),
    path("campaigns/<slug:slug>/judging/cost/timesheet/", cost.timesheet, name="timesheet"),
    path("campaigns/<slug:slug>/judging/cannot-judge/", refusals.refusals, name="refusals"),
    path("campaigns/<slug:slug>/judging/probes/", gold.probes, name="probes"),
    path("campaigns/<slug:slug>/judging/probes/withdraw/", gold.probes_withdraw, name="probes_withdraw"),
]

# /campaigns/<slug>/judging/topics/<number>/: the judges of a topic
topic_urls = [
    path(
        "campaigns/<slug:slug>/judging/topics/<topic:number>/", assignments.topic_judges, name="topic_judges"
    ),
    path(
        "campaigns/<slug:slug>/judging/topics/<topic:number>/move/", assignments.topic_move, name="topic_move"
    ),
    path(
        "campaigns/<slug:slug>/judging/topics/<topic:number>/take-back/",
        assignments.topic_take_back,
        name="topic_take_back",
    ),
]

# /campaigns/<slug>/judging/consistency/: how consistent each judge is
consistency_urls = [
    path("campaigns/<slug:slug>/judging/consistency/", consistency.consistency, name="consistency"),
    path(
        "campaigns/<slug:slug>/judging/consistency/<int:pk>/topics/<topic:number>/",
        consistency.judge_labels,
        name="judge_labels",
    ),
]

# /campaigns/<slug>/people/
people_urls = [
    path("campaigns/<slug:slug>/people/", people.people, name="people"),
    path("campaigns/<slug:slug>/people/invite/", invitations.people_invite, name="people_invite"),
    path("campaigns/<slug:slug>/people/members/<int:pk>/", people.member_change, name="member_change"),
    path("campaigns/<slug:slug>/people/members/<int:pk>/remove/", people.member_remove, name="member_remove"),
    path(
        "campaigns/<slug:slug>/people/invitations/<int:pk>/renew/",
        people.invitation_renew,
        name="invitation_renew",
    ),
    path(
        "campaigns/<slug:slug>/people/invitations/<int:pk>/revoke/",
        people.invitation_revoke,
        name="invitation_revoke",
    ),
]

# /campaigns/<slug>/participate/: the page of participants
participation_urls = [
    path("campaigns/<slug:slug>/participate/", participation.participate, name="participate"),
    path(
        "campaigns/<slug:slug>/participate/topics/",
        participation.participate_topics,
        name="participate_topics",
    ),
]

# /invitations/
invitation_urls = [path("invitations/<str:token>/", people.invitation, name="invitation")]

# /: the work that is left to a judge, and the campaigns of others
home_urls = [path("", judge_pages.home, name="home")]

# /campaigns/<slug>/judge/: pages of judges
judge_urls = [
    path("campaigns/<slug:slug>/judge/outbox/", judging.outbox, name="outbox"),
    path("campaigns/<slug:slug>/judge/", judge_pages.my_topics_page, name="my_topics"),
    path("campaigns/<slug:slug>/judge/labels/", judge_pages.my_labels, name="my_labels"),
    path("campaigns/<slug:slug>/judge/topics/<topic:number>/", judging.judge, name="judge"),
    path("campaigns/<slug:slug>/judge/topics/<topic:number>/terms/", judging.own_terms, name="own_terms"),
    path(
        "campaigns/<slug:slug>/judge/topics/<topic:number>/examples/",
        judging.own_examples,
        name="own_examples",
    ),
    path(
        "campaigns/<slug:slug>/judge/topics/<topic:number>/recent/",
        judging.recent_labels,
        name="recent_labels",
    ),
    path("campaigns/<slug:slug>/judge/<int:pk>/", judging.judgment_card, name="judgment_card"),
    path(
        "campaigns/<slug:slug>/judge/<int:pk>/parts/<int:part>/", judging.document_part, name="document_part"
    ),
]

# /campaigns/<slug>/images/<checksum>/
image_urls = [path("campaigns/<slug:slug>/images/<slug:sha256>/", images.image, name="image")]

# /campaigns/<slug>/agreement/: the page, its parts, downloads, and documents
agreement_urls = [
    path("campaigns/<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path("campaigns/<slug:slug>/agreement/news/", agreement.agreement_news, name="agreement_news"),
    *(
        path(
            f"campaigns/<slug:slug>/agreement/{name.removeprefix('agreement_')}/",
            agreement.part,
            {"name": name},
            name=name,
        )
        for name in agreement.PARTS
    ),
    path("campaigns/<slug:slug>/agreement/csv/", agreement_files.agreement_csv, name="agreement_csv"),
    path("campaigns/<slug:slug>/agreement/json/", agreement_files.agreement_json, name="agreement_json"),
    path(
        "campaigns/<slug:slug>/agreement/pairs/tsv/",
        agreement_files.agreement_pairs_tsv,
        name="agreement_pairs_tsv",
    ),
    path("campaigns/<slug:slug>/agreement/labels/", agreement_files.labels, name="labels"),
    path(
        "campaigns/<slug:slug>/agreement/documents/",
        agreement.agreement_documents,
        name="agreement_documents",
    ),
    path(
        "campaigns/<slug:slug>/agreement/documents/<int:pk>/",
        agreement.agreement_document,
        name="agreement_document",
    ),
]

# /campaigns/<slug>/runs/<tag>/: what can be changed of a run
run_urls = [
    path("campaigns/<slug:slug>/runs/<str:tag>/edit/", runs.run_edit, name="run_edit"),
    path("campaigns/<slug:slug>/runs/<str:tag>/replace/", runs.run_replace, name="run_replace"),
    path("campaigns/<slug:slug>/runs/<str:tag>/order/", runs.run_order, name="run_order"),
    path("campaigns/<slug:slug>/runs/<str:tag>/hide/", runs.run_hide, name="run_hide"),
    path("campaigns/<slug:slug>/runs/<str:tag>/withdraw/", runs.run_withdraw, name="run_withdraw"),
    path("campaigns/<slug:slug>/runs/<str:tag>/restore/", runs.run_restore, name="run_restore"),
]

# /campaigns/<slug>/adjudication/
adjudication_urls = [
    path("campaigns/<slug:slug>/adjudication/", adjudication.adjudication, name="adjudication"),
    path(
        "campaigns/<slug:slug>/adjudication/reasons/",
        adjudication.adjudication_reasons,
        name="adjudication_reasons",
    ),
    path("campaigns/<slug:slug>/adjudication/rules/", settling.settling, name="settling"),
    path("campaigns/<slug:slug>/adjudication/outbox/", decisions.decisions, name="decisions"),
    path("campaigns/<slug:slug>/adjudication/claim/", adjudication.claim, name="claim"),
    path("campaigns/<slug:slug>/adjudication/<int:pk>/", adjudication.settle, name="settle"),
    path("campaigns/<slug:slug>/adjudication/<int:pk>/ask/", adjudication.ask_again, name="ask_again"),
    path("campaigns/<slug:slug>/adjudication/<int:pk>/reopen/", adjudication.reopen, name="reopen"),
    path(
        "campaigns/<slug:slug>/adjudication/<int:pk>/parts/<int:part>/",
        adjudication.dispute_part,
        name="dispute_part",
    ),
]

# /campaigns/<slug>/qrels/
qrels_urls = [
    path("campaigns/<slug:slug>/qrels/", releases.release_list, name="release_list"),
    path("campaigns/<slug:slug>/qrels/preview/", releases.release_preview, name="release_preview"),
    path("campaigns/<slug:slug>/qrels/diff/", releases.release_diff, name="release_diff"),
    path("campaigns/<slug:slug>/qrels/diff/tsv/", releases.release_diff_tsv, name="release_diff_tsv"),
    path("campaigns/<slug:slug>/qrels/<int:number>/", releases.release, name="release"),
    path("campaigns/<slug:slug>/qrels/<int:number>/mail/", mailings.release_mail, name="release_mail"),
    path(
        "campaigns/<slug:slug>/qrels/<int:number>/files/<slug:kind>/",
        releases.release_file,
        name="release_file",
    ),
    path(
        "campaigns/<slug:slug>/qrels/<int:number>/labels/",
        published_labels.release_labels,
        name="release_labels",
    ),
    path("campaigns/<slug:slug>/qrels/<int:number>/file/", releases.qrels_file, name="qrels_file"),
    path(
        "campaigns/<slug:slug>/qrels/<int:number>/manifest/", releases.qrels_manifest, name="qrels_manifest"
    ),
    path(
        "campaigns/<slug:slug>/qrels/<int:number>/audience/<slug:state>/",
        audiences.release_audience,
        name="release_audience",
    ),
    path(
        "campaigns/<slug:slug>/qrels/<int:number>/withdraw/",
        audiences.release_withdraw,
        name="release_withdraw",
    ),
]

urlpatterns = [
    *judge_urls,  # first, because every label is sent to one of them
    *home_urls,
    *campaign_urls,
    *judging_urls,
    *answers.urlpatterns,
    *battles.urlpatterns,
    *battle_programs.urlpatterns,
    *preferences.urlpatterns,
    *magnitudes.urlpatterns,
    *snippets.urlpatterns,
    *gradings.urlpatterns,
    *pyramids.urlpatterns,
    *nuggets.urlpatterns,
    *matchings.urlpatterns,
    *support.urlpatterns,
    *matching_programs.urlpatterns,
    *active_learning.urlpatterns,
    *clicks.urlpatterns,
    *judge_runs.urlpatterns,
    *machines.urlpatterns,
    *near_duplicates.urlpatterns,
    *notes.urlpatterns,
    *panels.urlpatterns,
    *webhooks.urlpatterns,
    *topic_urls,
    *consistency_urls,
    *people_urls,
    *participation_urls,
    *invitation_urls,
    *image_urls,
    *run_urls,
    *agreement_urls,
    *adjudication_urls,
    *qrels_urls,
]
