"""The library with NumPy alone, and beside modules of the caller that have the names of its packages."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = ROOT / "docs/tutorials/files"


@pytest.fixture(scope="module")
def numpy_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packages that has nothing but NumPy."""
    packages, here = tmp_path_factory.mktemp("packages"), Path(numpy.__file__).parents[1]
    for path in here.glob("numpy*"):  # in wheels with the libraries that it calls
        (packages / path.name).symlink_to(path)
    (packages / "jurypool-0.1.0.dist-info").mkdir()  # as pip leaves it
    (packages / "jurypool-0.1.0.dist-info/METADATA").write_text("Name: jurypool\nVersion: 0.1.0\n")
    return packages


def python(code: str, folder: Path, packages: Path) -> subprocess.CompletedProcess[str]:
    """Run code as a cell of a notebook in `folder` is run, with these packages alone."""
    return subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=folder,
        env={"PYTHONPATH": f"{folder}:{ROOT}:{packages}"},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("page", "printed"),
    [
        ("tutorials/notebook.md", "titles   0.8338  0.8200  0.7333"),
        ("how-to/library.md", "7 Q0 D2 1 0.03252247488101534 fused\n"),
    ],
)
def test_the_cells_of_a_page_need_numpy_alone(page: str, printed: str, numpy_alone: Path) -> None:
    cells = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
    done = python("".join(cells), FILES, numpy_alone)
    assert done.returncode == 0, done.stderr
    assert printed in done.stdout


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            "jp.agreement([1, 0, 1], [1, 1, 1])",
            "",
        ),
        ("jp.pool({'a': {'7': {'D1': 2.0}}}, 'depth', k=1)", ""),
        ("jp.relevant_in_all(100, 10, 2)", "this needs the package scipy: pip install 'jurypool[stats]'"),
        (
            "jp.precision_recall({'a': {'7': {'D1': 2.0}}}, {'7': {'D1': 1}}).plot()",
            "this needs the package matplotlib: pip install 'jurypool[plot]'",
        ),
        ("jp.text_features({'D1': 'flows', 'D2': 'flow'})", "the package snowballstemmer: pip install"),
    ],
)
def test_what_needs_more_says_which_extra_brings_it(numpy_alone: Path, call: str, words: str) -> None:
    done = python(f"import jurypool as jp\nprint({call})", FILES, numpy_alone)
    assert words in done.stderr and (done.returncode != 0) == bool(words), done.stderr


def test_in_a_checkout_that_is_not_installed_pip_gets_its_folder(tmp_path: Path, numpy_alone: Path) -> None:
    (tmp_path / "numpy").symlink_to(numpy_alone / "numpy")
    libraries = tmp_path / "numpy.libs"
    if (numpy_alone / "numpy.libs").exists():
        libraries.symlink_to(numpy_alone / "numpy.libs")
    done = python("import jurypool as jp\njp.relevant_in_all(100, 10, 2)", FILES, tmp_path)
    assert f"this needs the package scipy: pip install -e '{ROOT}[stats]'" in done.stderr


def test_the_web_application_is_an_extra(numpy_alone: Path) -> None:
    start = "import sys\nfrom jurypool.__main__ import main; sys.exit(main(['start']))"
    done = python(start, FILES, numpy_alone)
    expected = "jurypool start: this needs the package django: pip install 'jurypool[server]'\n"
    assert (done.returncode, done.stderr) == (1, expected)


@pytest.mark.parametrize("name", ["metrics.py", "pooling.py", "assess/__init__.py"])
def test_a_module_that_hides_a_package_is_named(tmp_path: Path, numpy_alone: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine = 1\n")
    done = python("import jurypool", tmp_path, numpy_alone)
    package = name.split("/")[0].removesuffix(".py")
    assert done.stderr.splitlines()[-1] == (
        f"ImportError: {tmp_path / name} hides the package {package!r}, which Jurypool needs:"
        " rename this file or folder"
    )


def test_modules_of_other_names_and_plain_folders_do_no_harm(tmp_path: Path, numpy_alone: Path) -> None:
    (tmp_path / "config.py").write_text("mine = 1\n")
    (tmp_path / "metrics").mkdir()
    score = "import jurypool as jp\njp.evaluate({'7': {'D': 1.0}}, {'7': {'D': 1}}, 'AP')"
    done = python(score, tmp_path, numpy_alone)
    assert done.returncode == 0, done.stderr
