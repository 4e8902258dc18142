from datetime import timedelta

import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


def give_groups(apps, schema_editor):
    """Give a participant without a group one of their own, named like the person."""
    Membership = apps.get_model("pooling", "Membership")
    lacking = Membership.objects.filter(role="participant", group="")
    for membership in lacking.select_related("user", "campaign"):
        taken = groups_in(membership.campaign)
        name = membership.user.username[:50]
        number = 1
        while name in taken:
            number += 1
            name = f"{membership.user.username[:50]}-{number}"
        Membership.objects.filter(pk=membership.pk).update(group=name)


def groups_in(campaign):
    """Return the groups that the people, runs and invitations of a campaign name."""
    return {
        group
        for rows in (campaign.memberships, campaign.runs, campaign.invitations)
        for group in rows.order_by().values_list("group", flat=True).distinct()
    }


def date_invitations(apps, schema_editor):
    """Invitations had no time of creation, but all of them lasted 14 days."""
    Invitation = apps.get_model("pooling", "Invitation")
    Invitation.objects.update(created_at=models.F("expires_at") - timedelta(days=14))


NAME = django.core.validators.RegexValidator(
    "^(?!\\.{1,2}\\Z)[^\\s/]+\\Z",
    "Expected no blanks, no slash and not . or ..: this name stands in files and in URLs.",
)


class Migration(migrations.Migration):
    dependencies = [
        ("pooling", "0005_job"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="invitation",
            name="created_at",
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.AddField(
            model_name="invitation",
            name="created_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="invitation",
            name="recipient",
            field=models.CharField(blank=True, help_text="A note: for whom the link is.", max_length=120),
        ),
        migrations.AddField(
            model_name="invitation",
            name="used_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(date_invitations, migrations.RunPython.noop),
        migrations.RunPython(give_groups, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="membership",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("role", "participant"), _negated=True),
                    models.Q(("group", ""), _negated=True),
                    _connector="OR",
                ),
                name="participant_has_a_group",
            ),
        ),
        migrations.AlterField(
            model_name="run",
            name="tag",
            field=models.CharField(max_length=120, validators=[NAME]),
        ),
        migrations.AlterField(
            model_name="topic",
            name="number",
            field=models.CharField(
                help_text='Text, as in run files: "401", "A-7".', max_length=60, validators=[NAME]
            ),
        ),
    ]
