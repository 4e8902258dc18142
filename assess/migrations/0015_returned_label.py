from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("assess", "0014_label_summary"), ("pooling", "0007_names")]

    operations = [migrations.RenameModel("Return", "ReturnedLabel")]
