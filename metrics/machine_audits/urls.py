from django.urls import path

from metrics.machine_audits.views import audit, drawing

# /campaigns/<slug>/judging/machines/audits/
urlpatterns = [
    path(
        "campaigns/<slug:slug>/judging/machines/audits/",
        drawing.machine_audit_list,
        name="machine_audit_list",
    ),
    path(
        "campaigns/<slug:slug>/judging/machines/audits/<int:number>/give/",
        drawing.machine_audit_give,
        name="machine_audit_give",
    ),
    path(
        "campaigns/<slug:slug>/judging/machines/audits/<int:number>/",
        audit.machine_audit,
        name="machine_audit",
    ),
    path(
        "campaigns/<slug:slug>/judging/machines/audits/<int:number>/csv/",
        audit.machine_audit_csv,
        name="machine_audit_csv",
    ),
    path(
        "campaigns/<slug:slug>/judging/machines/audits/<int:number>/json/",
        audit.machine_audit_json,
        name="machine_audit_json",
    ),
]
