import pytest

from privgate.data.documents import parse_document
from privgate.errors import PolicyError
from privgate.metrics import all_metrics
from privgate.policy import open_document

POLICY = """
privgate: policy/v1
id: copies
version: 1.0.0
title: Copies and nearness
rules:
  - id: no-copies
    metric: crp
    measure: gap
    require: {max: 0.06}
    source: {kind: house, ref: board}
    rationale: a test
  - id: nearness
    metric: dcr
    measure: share_nearer_train
    require: {max: 0.75}
    severity: advisory
    source: {kind: house, ref: board}
    rationale: a test
"""


@pytest.fixture(scope="session")
def policy():
    return open_document(parse_document(POLICY, name="policy", error=PolicyError), all_metrics())
