from pathlib import Path

from privgate.metrics import all_metrics
from privgate.testing.generate import generated_files, stale_files

ROOT = Path(__file__).parents[1]


def test_generated_files_are_fresh():
    assert [path.name for path in stale_files(ROOT)] == []


def test_every_metric_has_a_page_with_its_limits():
    files = generated_files(ROOT)
    for name, metric in all_metrics().items():
        page = files[ROOT / "docs" / "metrics" / f"{name}.md"]
        assert metric.card.limits[0] in page
        assert metric.card.references[0] in page
