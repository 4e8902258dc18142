import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pooling", "0006_participants_have_groups")]

    operations = [
        migrations.RenameModel("TrailEntry", "AuditLogEntry"),
        migrations.RenameField("AuditLogEntry", "seal", "chain_hash"),
        migrations.AlterField(
            "AuditLogEntry",
            "campaign",
            models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="audit_log", to="pooling.campaign"
            ),
        ),
        migrations.RenameField("Job", "ticket", "task_id"),
        migrations.RenameField("Job", "tries", "stalled_attempts"),
        migrations.RenameField("Job", "beat_at", "heartbeat_at"),
    ]
