"""Files of clicks on interleaved lists are named and withdrawn."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("metrics", "0002_interleaving"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="interleavingclicks",
            name="name",
            field=models.CharField(blank=True, max_length=120),
        ),
        migrations.AddField(
            model_name="interleavingclicks",
            name="note",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="interleavingclicks",
            name="withdrawal_reason",
            field=models.TextField(blank=True),
        ),
        migrations.AddField(
            model_name="interleavingclicks",
            name="withdrawn_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="interleavingclicks",
            name="withdrawn_by",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
