"""Policies: what is required of a release, and what becomes of the evidence under it."""

from privgate.policy.bind import BoundPolicy, BoundRule, bind, measurement_id
from privgate.policy.check import check
from privgate.policy.difference import Change, Effect, PolicyDifference, compare_policies
from privgate.policy.lint import Finding, Level, lint
from privgate.policy.load import (
    built_in_policies,
    load_policy,
    policy_from_text,
    read_policy_document,
)
from privgate.policy.loaded import LoadedPolicy
from privgate.policy.model import Judge, Limit, Policy, Rule, Severity, Source, SourceKind
from privgate.policy.opening import open_document, open_policy, reopen_policy
from privgate.policy.requirements import MinimumRows, Requirements
from privgate.policy.resolved import resolved_text
from privgate.policy.schema import (
    difference_schema,
    evidence_schema,
    policy_schema,
    verdict_schema,
)
from privgate.policy.verdict import (
    AppliedWaiver,
    CoverageVerdict,
    Outcome,
    PolicyFacts,
    PolicyReference,
    RequirementVerdict,
    RuleVerdict,
    Verdict,
    WaiversFacts,
    WaiverVerdict,
)
from privgate.policy.waiver_lint import WaiverFinding, lint_waivers
from privgate.policy.waivers import (
    Waiver,
    Waivers,
    load_waivers,
    waivers_from_text,
    waivers_of,
)

__all__ = [
    "AppliedWaiver",
    "BoundPolicy",
    "BoundRule",
    "Change",
    "CoverageVerdict",
    "Effect",
    "Finding",
    "Judge",
    "Level",
    "Limit",
    "LoadedPolicy",
    "MinimumRows",
    "Outcome",
    "Policy",
    "PolicyDifference",
    "PolicyFacts",
    "PolicyReference",
    "RequirementVerdict",
    "Requirements",
    "Rule",
    "RuleVerdict",
    "Severity",
    "Source",
    "SourceKind",
    "Verdict",
    "Waiver",
    "WaiverFinding",
    "WaiverVerdict",
    "Waivers",
    "WaiversFacts",
    "bind",
    "built_in_policies",
    "check",
    "compare_policies",
    "difference_schema",
    "evidence_schema",
    "lint",
    "lint_waivers",
    "load_policy",
    "load_waivers",
    "measurement_id",
    "open_document",
    "open_policy",
    "policy_from_text",
    "policy_schema",
    "read_policy_document",
    "reopen_policy",
    "resolved_text",
    "verdict_schema",
    "waivers_from_text",
    "waivers_of",
]
