"""How long a large release takes, and in how much memory: `python -m tests.soak.release [LINES]`.

Makes a campaign of its own in a temporary folder: 300,000 pooled documents in 50 topics, every tenth judged
by two. Then, each in a process of its own so that its peak memory is its own: freeze a release, preview the
next, and download a file through the whole stack. At last the checksum of the download is compared and
`python -m metrics.trec_eval` reads it.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

TOPICS = 50

BEGIN = """
import resource, time
import django
django.setup()
from django.conf import settings
settings.ALLOWED_HOSTS = ["testserver"]
from assess.queries.campaign_reads import CampaignReads
from accounts.models import User
from pooling.models import Campaign
campaign, carol = Campaign.objects.get(), User.objects.get(username="carol")
started = time.perf_counter()
"""
END = """
seconds, used = time.perf_counter() - started, time.process_time()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(f"{seconds:6.1f} s ({used:.1f} s of a processor), peak {peak} MB", said)
"""
NOTHING = "said = ''"
FREEZE = """
from assess.services.releases import release_qrels
said = f"{release_qrels(campaign, carol).line_count:,} lines"
"""
PREVIEW = """
from assess.queries.release_draft import release_preview
from assess.release.plan import ReleasePlan
found = release_preview(CampaignReads(campaign), ReleasePlan("maximum"))
said = f"{found.lines:,} lines, {found.difference.changed:,} changed"
"""
DIFFERENCE = """
from assess.queries.releases import release_difference
from assess.release.plan import ReleasePlan
from assess.services.releases import release_qrels
second = release_qrels(campaign, carol, ReleasePlan("maximum"))
started = time.perf_counter()
said = f"{len(release_difference(campaign.releases.get(number=1), second).changes):,} changes"
"""
DOWNLOAD = """
from django.test import Client
client = Client()
client.force_login(carol)
with open({path!r}, "wb") as out:
    for chunk in client.get("/campaigns/large/qrels/1/files/{kind}/"):
        out.write(chunk)
said = ""
"""


def measured(what: str, program: str) -> None:
    done = subprocess.run([sys.executable, "-c", BEGIN + program + END], capture_output=True, text=True)
    print(f"{what:<22}{done.stdout.strip() or done.stderr}", flush=True)


def make_campaign(lines: int) -> None:
    """Pool `lines` documents, label each, and every tenth again; no services, which would take minutes."""
    import django

    django.setup()
    from django.core.management import call_command

    from accounts.models import User
    from assess.models import Assignment
    from assess.services.bulk_labels import store_labels
    from pooling.models import Topic
    from pooling.scale import FOUR_STEPS
    from pooling.services.people import create_campaign
    from pooling.services.pools import store_pool
    from pooling.strategies.candidates import PoolEntry

    call_command("migrate", verbosity=0)
    carol, alice, bob = (User.objects.create(username=name) for name in ("carol", "alice", "bob"))
    campaign = create_campaign(carol, "Large", "large", FOUR_STEPS, 2, state="open")
    numbers = [str(401 + place) for place in range(TOPICS)]
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=number, title=number, place=int(number)) for number in numbers
    )
    docnos = [
        f"clueweb12-{place:04}wb-{place * 7919 % 100:02}-{place:05}" for place in range(lines // TOPICS)
    ]
    pooled = {number: {docno: PoolEntry(1, 1) for docno in docnos} for number in numbers}
    manifest = {"strategy": "depth", "parameters": {}, "runs": [], "sha256": "0" * 64}
    pool = store_pool(campaign, carol, manifest, pooled)
    for judge in (alice, bob):
        Assignment.objects.bulk_create(
            Assignment(judge=judge, topic=topic, pool=pool) for topic in campaign.topics.all()
        )
    pairs = [(number, docno) for number in numbers for docno in docnos]
    store_labels(campaign, alice, {pair: place % 4 for place, pair in enumerate(pairs)})
    store_labels(campaign, bob, {pair: place % 3 for place, pair in enumerate(pairs[::10])})


def main() -> None:
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 300_000
    with TemporaryDirectory() as folder:
        os.environ |= {"JURYPOOL_DATA": folder, "DJANGO_SETTINGS_MODULE": "config.settings"}
        os.environ.pop("DATABASE_URL", None)
        started = time.perf_counter()
        # in a process of its own: what this one held would count as peak memory of those that it starts
        program = f"from tests.soak.release import make_campaign; make_campaign({lines})"
        subprocess.run([sys.executable, "-c", program], check=True)
        print(f"campaign made in {time.perf_counter() - started:.0f} s")
        measured("start alone", NOTHING)
        measured("freeze", FREEZE)
        measured("preview of another", PREVIEW)
        measured("difference of two", DIFFERENCE)
        for kind in ("qrels", "provenance"):
            path = Path(folder) / kind
            measured(f"download {kind}", DOWNLOAD.format(path=str(path), kind=kind))
            print(f"{'':<22}{path.stat().st_size:,} bytes, {hashlib.sha256(path.read_bytes()).hexdigest()}")
        check(Path(folder))


def check(folder: Path) -> None:
    """Compare the checksum with the release's, and have trec_eval read the qrels."""
    import django

    django.setup()
    from assess.models import QrelsRelease

    release = QrelsRelease.objects.get(number=1)
    for kind in ("qrels", "provenance"):
        found = hashlib.sha256((folder / kind).read_bytes()).hexdigest()
        print(f"checksum of {kind}: {'holds' if found == release.files.get(kind=kind).sha256 else 'BROKEN'}")
    (folder / "run").write_text("".join(f"{401 + place} Q0 none 1 1 me\n" for place in range(TOPICS)))
    level = str(release.manifest["threshold"])
    files = [str(folder / name) for name in ("qrels", "run")]
    words = [sys.executable, "-m", "metrics.trec_eval", "-l", level, "-m", "num_rel", *files]
    started = time.perf_counter()
    done = subprocess.run(words, capture_output=True, text=True)
    relevant = release.manifest["relevant"]
    print(f"trec_eval, {time.perf_counter() - started:.1f} s: {done.stdout.strip()}{done.stderr}")
    print(f"the manifest says: {relevant}")


if __name__ == "__main__":
    main()
