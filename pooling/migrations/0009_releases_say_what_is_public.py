from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("pooling", "0008_campaign_states"),
        ("assess", "0016_release_states"),  # gives releases the state that follows from this field
    ]

    operations = [migrations.RemoveField(model_name="campaign", name="visibility")]
