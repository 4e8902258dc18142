from django.urls import path

from assess.machines.views import endpoints, labellings, prompts

# /campaigns/<slug>/judging/machines/: prompts and labellings of language models
labelling_urls = [
    path("campaigns/<slug:slug>/judging/machines/prompts/", prompts.prompt_list, name="prompt_list"),
    path("campaigns/<slug:slug>/judging/machines/prompts/<int:number>/", prompts.prompt, name="prompt"),
    path(
        "campaigns/<slug:slug>/judging/machines/labellings/", labellings.labelling_list, name="labelling_list"
    ),
    path(
        "campaigns/<slug:slug>/judging/machines/labellings/<int:number>/",
        labellings.labelling,
        name="labelling",
    ),
    path(
        "campaigns/<slug:slug>/judging/machines/labellings/<int:number>/batch/<int:part>/",
        labellings.labelling_batch,
        name="labelling_batch",
    ),
    path(
        "campaigns/<slug:slug>/judging/machines/labellings/<int:number>/labels/",
        labellings.labelling_labels,
        name="labelling_labels",
    ),
]

# /campaigns/<slug>/judging/machines/labellings/<number>/endpoint/: requests to language models
endpoint_urls = [
    path(
        "campaigns/<slug:slug>/judging/machines/labellings/<int:number>/endpoint/",
        endpoints.labelling_endpoint,
        name="labelling_endpoint",
    ),
    path(
        "campaigns/<slug:slug>/judging/machines/labellings/<int:number>/endpoint/again/<slug:state>/",
        endpoints.requests_again,
        name="requests_again",
    ),
]

urlpatterns = [*labelling_urls, *endpoint_urls]
