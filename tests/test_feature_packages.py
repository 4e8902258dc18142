"""The layers of an app, and its feature packages: each can be deleted with a few lines, and the rest works.

A feature package is a folder of `assess` or `metrics` with URLs of its own. Packages of one name in both apps
are one feature. Only the registrations of an app name it: `urls.py`, `tasks.py`, `api/__init__.py`, `apps.py`
and `models/__init__.py`. A feature imports no other one, except those that it is built upon (BUILDS_UPON).
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_architecture import MODULES, ROOT, imported

LAYERS = ("models", "queries", "services", "forms", "views", "api", "urls")  # pure modules are below them
BESIDE_THE_LAYERS = {"admin", "apps", "management", "migrations", "tasks", "templatetags"}
FEATURES: dict[str, list[Path]] = {}  # name -> its folders
for _urls in sorted([*ROOT.glob("assess/*/urls.py"), *ROOT.glob("metrics/*/urls.py")]):
    FEATURES.setdefault(_urls.parent.name, []).append(_urls.parent.relative_to(ROOT))
for _name, _folders in FEATURES.items():  # one of them may have no URLs: the measures of nuggets
    _folders[:] = [folder for app in ("assess", "metrics") if (ROOT / (folder := Path(app, _name))).is_dir()]
MODELS = {  # the core reads those of others, too: triage, unfinished loads, queues, plans, answers
    "ab_tests": "metrics/models/ab_tests.py",
    "active_learning": "assess/models/active_learning.py",
    "answer_releases": "assess/models/answer_releases.py",
    "battle_programs": "assess/models/battle_programs.py",
    "battles": "assess/models/battles.py",
    "clicks": "assess/models/click_logs.py",
    "interleaving": "metrics/models/interleaving.py",
    "system_quality": "metrics/models/system_quality.py",
    "judge_runs": "assess/models/judge_runs.py",
    "near_duplicates": "assess/models/near_duplicates.py",
    "notes": "assess/models/notes.py",
    "panels": "assess/models/panels.py",
    "preferences": "assess/models/preferences.py",
    "gradings": "assess/models/gradings.py",
    "pyramids": "assess/models/pyramids.py",
    "matchings": "assess/models/matchings.py",
    "snippets": "assess/models/snippets.py",
    "magnitudes": "assess/models/magnitudes.py",
    "matching_programs": "assess/models/matching_programs.py",
    "nuggets": "assess/models/nuggets.py",
    "support": "assess/models/support.py",
    "webhooks": "assess/models/webhooks.py",
}
BUILDS_UPON = {
    "argue": ("matchings", "nuggets", "support"),
    "answer_releases": ("gradings", "matchings", "nuggets", "support"),
    "ab_tests": ("interleaving",),
    "battle_programs": ("battles", "machines", "machine_audits"),
    "matchings": ("nuggets",),
    "support": ("nuggets",),
    "matching_programs": ("matchings", "nuggets", "machines", "machine_audits"),
}
"""Feature -> the features that it is about and imports. It is deleted with each of them."""
REGISTRATIONS = [
    Path(app, file)
    for app in ("assess", "metrics")
    for file in ("api/__init__.py", "apps.py", "models/__init__.py", "tasks.py", "urls.py")
    if (ROOT / app / file).exists()
]
LIBRARY = "jurypool"  # calls pure modules of features, and is no part of the site
VIEWS_FOR_FEATURES = {
    "assess.views.downloads", "assess.views.images", "assess.views.judged_sets", "assess.views.payloads",
    "assess.views.side_by_side",
    "metrics.views.access",
    "metrics.views.file_responses",
}  # fmt: skip
NAMES = {".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in MODULES}


def feature_of(parts: tuple[str, ...]) -> str:
    """Return the feature that a path or a dotted name belongs to, "" for one of the core."""
    return parts[1] if Path(*parts[:2]) in FEATURES.get(parts[1] if len(parts) > 1 else "", []) else ""


def layer_of(parts: tuple[str, ...]) -> int:
    """Return the layer of a module by the first part of its path that names one; -1 for a pure module."""
    return next((LAYERS.index(part) for part in parts[1:] if part in LAYERS), -1)


def modules_imported(path: Path, source: str) -> Iterator[tuple[str, ...]]:
    """Yield the parts of the name of each of our modules that a module imports."""
    for name in imported(source, ".".join(path.parts[:-1])):
        module = name if name in NAMES else name.rpartition(".")[0]
        if module in NAMES:
            yield tuple(module.split("."))


def faults(path: Path, source: str) -> list[str]:
    """Return what a module imports against the layers of its app or the rules of feature packages."""
    me = (*path.parts[:-1], path.stem)
    feature, found = feature_of(me), []
    for parts in modules_imported(path, source):
        name, its_feature = ".".join(parts), feature_of(parts)
        ordered = parts[0] == me[0] != "accounts" and not BESIDE_THE_LAYERS & {*me, *parts}
        of_library = me[0] == LIBRARY and layer_of(parts) < 0
        of_core_views = not its_feature and "views" in parts and parts[0] in ("assess", "metrics")
        if ordered and its_feature == feature and layer_of(parts) > layer_of(me):
            found.append(f"{path} imports {name}, which is in a layer above it")
        allowed = ("", feature, *BUILDS_UPON.get(feature, ()))
        if its_feature not in allowed and path not in REGISTRATIONS and not of_library:
            found.append(f"{path} imports {name} of the feature {its_feature}")
        if feature and of_core_views and name not in VIEWS_FOR_FEATURES:
            found.append(f"{path} imports {name}, which is for the core")
    return found


def test_there_are_features_to_look_at() -> None:
    assert {
        "ab_tests",
        "active_learning",
        "answers",
        "answer_releases",
        "battle_programs",
        "battles",
        "clicks",
        "interleaving",
        "judge_runs",
        "machine_audits",
        "machines",
        "near_duplicates",
        "panels",
        "gradings",
        "confusion",
        "generalisability",
        "reproducibility",
        "system_quality",
        "pyramids",
        "nuggets",
        "matchings",
        "support",
        "matching_programs",
        "preferences",
        "magnitudes",
        "snippets",
        "webhooks",
    } <= FEATURES.keys()
    assert FEATURES["panels"] == [Path("assess/panels"), Path("metrics/panels")]


def test_a_module_imports_only_layers_below_and_no_other_feature() -> None:
    assert [fault for path in MODULES for fault in faults(path, (ROOT / path).read_text())] == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("assess/queries/labels.py", "from assess.services.judging import record_judgment"),
        ("assess/services/judging.py", "from assess.forms import judging"),
        ("assess/forms/judging.py", "def f():\n    from assess.views import judging"),
        ("assess/models/queues.py", "from assess.queries import labels"),
        ("assess/clicks/queries.py", "from assess.clicks.services import load_click_log"),
        ("assess/clicks/views.py", "from assess.panels.queries import my_panels"),
        ("metrics/interleaving/queries.py", "from assess.clicks.sdbn import sdbn"),
        ("assess/battles/views.py", "from assess.battle_programs.prompt import DEFAULT"),
        ("assess/battle_programs/views.py", "from assess.panels.queries import my_panels"),
        ("assess/views/judge_pages.py", "from assess.panels.queries import my_panels"),
        ("assess/queries/integrity.py", "import assess.judge_runs.queries"),
        ("metrics/views/leaderboard.py", "from assess.judge_runs.queries import submitted_judge_runs"),
        ("assess/panels/views.py", "from assess.views.judging import judge"),
        ("assess/management/commands/assign.py", "from assess.clicks import services"),
        ("config/settings.py", "from assess.machines.http_client import send"),
        ("jurypool/auditing.py", "from metrics.machine_audits.queries import samples"),
    ],
)
def test_a_planted_import_is_found(path: str, source: str) -> None:
    assert faults(Path(path), source)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "assess/clicks/views.py",
            "from assess.clicks.queries import rank_rates\nimport assess.services.gold",
        ),
        ("metrics/panels/queries.py", "from assess.panels.queries import current_votes"),
        ("metrics/battle_programs/queries.py", "from metrics.battles.queries import current_votes"),
        ("assess/panels/views.py", "from assess.views.images import image_response"),
        ("assess/urls.py", "from assess.panels import urls as panels"),
        ("jurypool/auditing.py", "from metrics.machine_audits import estimates"),
    ],
)
def test_an_import_that_the_rules_allow_is_no_fault(path: str, source: str) -> None:
    assert faults(Path(path), source) == []


def built_upon(feature: str) -> list[str]:
    """Return the features that are built upon a feature."""
    return [name for name, bases in BUILDS_UPON.items() if feature in bases]


def classes_of(feature: str) -> set[str]:
    """Return the names of the models of a feature."""
    if feature not in MODELS:
        return set()
    body = ast.parse((ROOT / MODELS[feature]).read_text()).body
    return {node.name for node in body if isinstance(node, ast.ClassDef)}


@pytest.mark.parametrize("feature", MODELS)
def test_the_core_does_not_import_the_models_of_a_feature(feature: str) -> None:
    app, file = Path(MODELS[feature]).parts[0], Path(MODELS[feature]).stem
    together = (feature, *built_upon(feature))
    names = {f"{app}.models.{name}" for name in classes_of(feature)} | {f"{app}.models.{file}"}
    users = [
        path
        for path in MODULES
        if path
        not in (*(Path(MODELS[each]) for each in together if each in MODELS), Path(app, "models/__init__.py"))
        and feature_of((*path.parts[:-1], path.stem)) not in together
        and any(
            name in names or name.rpartition(".")[0] in names
            for name in imported((ROOT / path).read_text(), ".".join(path.parts[:-1]))
        )
    ]
    assert classes_of(feature)
    assert users == []


def without(source: str, feature: str) -> str:
    """Return a registration without the lines that name a feature: an import, and what it binds.

    A statement that names it beside others loses the lines, not the statement: one name stands on each.
    """
    tree, gone, names = ast.parse(source), set[int](), {f'"{name}",' for name in classes_of(feature)}
    models = MODELS.get(feature, "").removesuffix(".py").replace("/", ".")
    packages = {".".join(folder.parts) for folder in FEATURES[feature]}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            bound = {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
            if any(name == each or name.startswith(f"{each}.") for name in bound for each in packages) or (
                models in bound
            ):
                gone |= {*range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    names |= {f'"{feature}",', f"*{feature}.urlpatterns,", f'router.add_router("", {feature})'}
    lines = enumerate(source.splitlines(keepends=True), start=1)
    return "".join(line for number, line in lines if number not in gone and line.strip() not in names)


SETTINGS = """\
from config.settings import *
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
MIGRATION_MODULES = dict.fromkeys(("accounts", "pooling", "assess", "metrics"))  # tables as the models are
"""
CHECK = """\
import django
django.setup()
from django.core.management import call_command
from django.test import Client
from django.urls import get_resolver, reverse
from accounts.models import User
from pooling.models import Role
from pooling.scale import FOUR_STEPS
from pooling.services.people import add_member, create_campaign
call_command("check", fail_level="WARNING")
call_command("migrate", run_syncdb=True, verbosity=0)
def names(resolver, namespace=""):
    for pattern in resolver.url_patterns:
        inner = getattr(pattern, "namespace", None)
        if hasattr(pattern, "url_patterns"):
            yield from names(pattern, inner or namespace)
        else:
            yield f"{namespace}:{pattern.name}"
print(*names(get_resolver()))
carol = User.objects.create_user("carol")
campaign = create_campaign(carol, "Boats", "boats", FOUR_STEPS, threshold=2)
for role in Role:
    if role != Role.ORGANISER:
        add_member(campaign, carol, role, "carolslab" if role == Role.PARTICIPANT else "", by=carol)
client = Client(HTTP_HOST="localhost")
client.force_login(carol)
pages = "overview judging machine_list plan my_topics participate agreement release_list".split()
for name in pages:
    assert client.get(reverse(f"assess:{name}", args=["boats"])).status_code == 200, name
assert client.get(reverse("metrics:scores", args=["boats"])).status_code == 200
call_command("audit", "boats")
"""


@pytest.mark.slow
@pytest.mark.parametrize("feature", [*FEATURES, "all"])
def test_the_site_loads_without_a_feature(feature: str, tmp_path: Path) -> None:
    deleted = [*FEATURES] if feature == "all" else [feature, *built_upon(feature)]
    ignored = shutil.ignore_patterns("__pycache__", "web_root", "certificates")
    for name in ("accounts", "pooling", "assess", "metrics", "config", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copytree(ROOT / "static", tmp_path / "static")
    for each in deleted:
        for folder in FEATURES[each]:
            shutil.rmtree(tmp_path / folder)
            if (templates := tmp_path / "templates" / folder).exists():
                shutil.rmtree(templates)
        if each in MODELS:
            (tmp_path / MODELS[each]).unlink()
        for file in REGISTRATIONS:
            (tmp_path / file).write_text(without((tmp_path / file).read_text(), each))
    (tmp_path / "settings_in_memory.py").write_text(SETTINGS)
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "settings_in_memory",
        "JURYPOOL_DATA": str(tmp_path / "data"),
        "PYTHONPATH": str(tmp_path),
    }
    command = [sys.executable, "-c", CHECK]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "assess:judge" in done.stdout
    assert not [name for name in deleted if PAGES[name] in done.stdout.split()]


PAGES = {  # a page of each feature
    "ab_tests": "metrics:ab_test",
    "active_learning": "assess:review_list",
    "answers": "assess:answer_run",
    "argue": "metrics:argue_result",
    "answer_releases": "metrics:answer_release_list",
    "battle_programs": "assess:battle_program_list",
    "battles": "assess:battle_list",
    "clicks": "assess:click_log",
    "interleaving": "metrics:interleaving",
    "judge_runs": "assess:judge_run_list",
    "machine_audits": "metrics:machine_audit",
    "machines": "assess:labelling",
    "near_duplicates": "assess:near_duplicates",
    "notes": "assess:topic_note",
    "panels": "assess:panel_list",
    "preferences": "assess:preference_list",
    "gradings": "assess:grading_list",
    "confusion": "metrics:confusion",
    "generalisability": "metrics:generalisability",
    "reproducibility": "metrics:reproducibility",
    "system_quality": "metrics:system_quality",
    "pyramids": "metrics:pyramid_list",
    "nuggets": "assess:nugget_bank_list",
    "snippets": "assess:snippet_list",
    "magnitudes": "assess:magnitude_list",
    "matchings": "assess:matching_list",
    "support": "assess:support_list",
    "matching_programs": "assess:matching_program_list",
    "webhooks": "assess:webhook_list",
}


def test_every_feature_has_a_page_that_is_looked_for() -> None:
    assert PAGES.keys() == FEATURES.keys()
