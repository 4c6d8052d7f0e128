"""Policies: what is required of a release, and what becomes of the evidence under it."""

from privgate.policy.bind import BoundPolicy, BoundRule, bind, measurement_id
from privgate.policy.check import check
from privgate.policy.lint import Finding, Level, lint
from privgate.policy.load import (
    LoadedPolicy,
    built_in_policies,
    load_policy,
    open_document,
    open_policy,
    policy_from_text,
    read_policy_document,
)
from privgate.policy.model import Judge, Limit, Policy, Rule, Severity, Source, SourceKind
from privgate.policy.requirements import MinimumRows, Requirements
from privgate.policy.schema import evidence_schema, policy_schema, verdict_schema
from privgate.policy.verdict import (
    CoverageVerdict,
    Outcome,
    PolicyFacts,
    RequirementVerdict,
    RuleVerdict,
    Verdict,
)

__all__ = [
    "BoundPolicy",
    "BoundRule",
    "CoverageVerdict",
    "Finding",
    "Judge",
    "Level",
    "Limit",
    "LoadedPolicy",
    "MinimumRows",
    "Outcome",
    "Policy",
    "PolicyFacts",
    "RequirementVerdict",
    "Requirements",
    "Rule",
    "RuleVerdict",
    "Severity",
    "Source",
    "SourceKind",
    "Verdict",
    "bind",
    "built_in_policies",
    "check",
    "evidence_schema",
    "lint",
    "load_policy",
    "measurement_id",
    "open_document",
    "open_policy",
    "policy_from_text",
    "policy_schema",
    "read_policy_document",
    "verdict_schema",
]
