from pathlib import Path

from privgate.metrics import all_metrics
from privgate.policy import Limit, MinimumRows, Policy, Requirements, Rule, Source
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


def test_the_policy_reference_has_every_field_with_its_meaning_and_default():
    page = (ROOT / "docs" / "policy-reference.md").read_text(encoding="utf-8")
    for model in (Policy, Requirements, MinimumRows, Rule, Limit, Source):
        for name, field in model.model_fields.items():
            assert f"| `{name}` |" in page
            assert field.description
            assert field.description in page
    assert "| `confidence` | number, above 0.5, below 1 | `0.95` |" in page
    assert "| `severity` | `blocking`, `advisory` | `blocking` |" in page
    assert "| `require` | [fields](#require) | must be there |" in page
    assert "| [dvp](metrics/dvp.md) | **`share`** | high |" in page
