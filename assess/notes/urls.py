from django.urls import path

from assess.notes import views

# the note of a judge on a topic, and the notes beside a case
urlpatterns = [
    path("campaigns/<slug:slug>/judge/topics/<topic:number>/note/", views.topic_note, name="topic_note"),
    path("campaigns/<slug:slug>/adjudication/<int:pk>/notes/", views.case_notes, name="case_notes"),
]
