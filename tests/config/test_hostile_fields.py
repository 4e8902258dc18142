"""Every text that people write attacks in the walk of tests/browser: a new field without an attack fails."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import models

from tests.support.factory import Factory
from tests.support.hostile import hostile_campaign

OURS = ("accounts", "pooling", "assess", "metrics")
OUR_OWN_WORDS = {  # never what somebody wrote: hashes, keys, and names of things in the code
    "accounts.User.password",
    "accounts.Session.session_key",
    "accounts.Session.session_data",
    "accounts.ApiToken.token_hash",
    "accounts.RequestKey.key",
    "accounts.ExternalIdentity.issuer",  # of the settings
    "accounts.ExternalIdentity.subject",  # printed on no page
    "pooling.Campaign.slug",  # letters, digits, hyphens
    "pooling.Campaign.time_zone",  # a name of the IANA database
    "pooling.Campaign.language",  # a well-formed tag of BCP 47
    "pooling.Campaign.currency",  # three capital letters
    "pooling.Invitation.token_hash",
    "pooling.Document.text_hash",
    "pooling.Image.sha256",
    "pooling.Run.sha256",
    "pooling.DocnoBlock.checksum",
    "pooling.Pool.strategy",
    "pooling.AuditLogEntry.verb",
    "pooling.AuditLogEntry.chain_hash",
    "pooling.AuditLogEntry.who",  # a sign-in name: those of the walk's organisers are plain
    "pooling.Job.task",
    "pooling.Job.task_id",
    "pooling.Job.result_url",
    "assess.JudgmentEvent.text_hash",
    "assess.AdjudicationEvent.text_hash",
    "assess.AdjudicationEvent.rule",  # a key of SETTLING_RULES
    "assess.Webhook.secret",
    "assess.DuplicateClassification.sha256",
    "assess.JudgmentEvent.source",
    "assess.JudgeRun.sha256",
    "assess.AnswerRun.sha256",
    "assess.AnswerRun.form",  # a key of FORMS
    "assess.AnswerRules.form",
    "assess.Load.sha256",
    "assess.Source.prompt_sha256",
    "assess.MachinePrompt.sha256",
    "assess.MachineLabelling.endpoint",  # a name of the settings
    "assess.MachineRequest.key",
    "assess.MachineRequest.text_hash",
    "assess.PanelVote.source",
    "assess.BattleVote.source",
    "assess.Preference.source",
    "assess.SnippetResult.text_hash",
    "assess.SnippetGrade.text_hash",
    "assess.SnippetGrade.source",
    "assess.Magnitude.number",  # digits
    "assess.Magnitude.text_hash",
    "assess.Magnitude.source",
    "assess.GivenGrades.source",
    "assess.TopicPyramid.sha256",
    "assess.AnnotatedPeer.sha256",
    "assess.NuggetLabel.assignment",
    "assess.NuggetLabel.source",
    "assess.NuggetDecision.assignment",
    "assess.SupportLabel.support",
    "assess.SupportLabel.text_hash",
    "assess.SupportLabel.source",
    "assess.BattleProgram.salt",  # random digits
    "assess.BattleProgramLoad.sha256",
    "assess.BattleProgramLoad.form",
    "assess.MatchingProgram.prompt_sha256",
    "assess.MatchingProgram.salt",
    "assess.MatchingProgramLoad.sha256",
    "assess.MatchingProgramLoad.form",
    "assess.ProgramNuggetLabel.assignment",
    "assess.Bank.grading",  # a key of GRADINGS
    "assess.Bank.sha256",
    "assess.NuggetLoad.sha256",
    "assess.BankNugget.aggregator",  # OR or AND
    "assess.Review.rule",  # a key of RULES
    "assess.Review.promise",  # a sentence of ours
    "assess.Review.because",
    "assess.AnswerRelease.sha256",
    "assess.AnswerRelease.lead",  # a sentence of ours
    "assess.BattleRelease.sha256",
    "assess.BattleRelease.lead",  # a sentence of ours
    "assess.ReleaseFile.kind",
    "assess.ReleaseFile.sha256",
    "assess.QrelsRelease.rule",
    "assess.QrelsRelease.sha256",
    "metrics.Interleaving.sha256",
    "metrics.InterleavingClicks.sha256",
    "metrics.ABTest.outcomes",  # columns and a few words
    "metrics.ABTestFile.sha256",
    "metrics.ABTestFile.withdrawal_reason",  # always empty
    "metrics.Score.measure",
    "metrics.Score.profile",
    "metrics.SystemFigures.currency",  # three capital letters
}


def text_fields() -> dict[str, models.Field[object, object]]:
    """Return every field of ours that holds text of any kind, but those that hold one of a few choices."""
    return {
        f"{model._meta.label}.{field.name}": field
        for app in OURS
        for model in apps.get_app_config(app).get_models()
        for field in model._meta.get_fields()
        if isinstance(field, models.CharField | models.TextField) and not field.choices
    }


def test_what_is_called_our_own_words_is_there() -> None:
    assert set(text_fields()) >= OUR_OWN_WORDS


@pytest.mark.django_db
def test_every_text_that_people_write_is_attacked(make: Factory) -> None:
    hostile_campaign(make)
    spared = {
        name
        for name, field in text_fields().items()
        if not any(
            "evil" in str(value) or "__xss" in str(value)
            for value in field.model._default_manager.values_list(field.name, flat=True)
        )
    }
    assert spared - OUR_OWN_WORDS == set()
