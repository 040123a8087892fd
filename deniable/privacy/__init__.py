"""What an attacker learns: measures over a channel and a prior, attacks that can be tried, and a report for people.

Every measure takes `prior=None`, the distribution of the true answers: uniform by default, one number for two labels, a list in
label order or a mapping. Where a paper's formula is wrong the corrected one is computed; `as_published=True` gives the printed one.
"""

from deniable.privacy.attacks.correlation import correlation_attack, remaining_error
from deniable.privacy.attacks.linkage import Linkage, linkage_attack, reidentification_rate
from deniable.privacy.attacks.reinterrogation import reinterrogation_attack, reinterrogation_privacy
from deniable.privacy.attacks.repeats import averaging_attack, simulate_averaging
from deniable.privacy.measures.basic import basic_privacy
from deniable.privacy.measures.deniability import deniability, minority_share
from deniable.privacy.measures.edges import edge_leak
from deniable.privacy.measures.entropy import conditional_entropy_privacy, entropy_privacy, privacy_loss
from deniable.privacy.measures.epsilon import Epsilons, epsilons
from deniable.privacy.measures.finite import nearest_finite
from deniable.privacy.measures.influence import influence
from deniable.privacy.measures.information import min_entropy_leakage, mutual_information
from deniable.privacy.measures.interval import interval_privacy
from deniable.privacy.measures.ranges import noise_for_range_privacy, range_privacy
from deniable.privacy.measures.recoverability import final_privacy, recoverability
from deniable.privacy.measures.single_entry import group_privacy, single_entry_privacy
from deniable.privacy.measures.worst_case import Rise, posterior_bound, worst_posterior, worst_rise
from deniable.privacy.reporting.deployments import DEPLOYMENTS, Deployment
from deniable.privacy.reporting.report import PrivacyReport, report
from deniable.privacy.reporting.warnings import warnings_of

__all__ = [
    "DEPLOYMENTS",
    "Deployment",
    "Epsilons",
    "Linkage",
    "PrivacyReport",
    "Rise",
    "averaging_attack",
    "basic_privacy",
    "conditional_entropy_privacy",
    "correlation_attack",
    "deniability",
    "edge_leak",
    "entropy_privacy",
    "epsilons",
    "final_privacy",
    "group_privacy",
    "influence",
    "interval_privacy",
    "linkage_attack",
    "min_entropy_leakage",
    "minority_share",
    "mutual_information",
    "nearest_finite",
    "noise_for_range_privacy",
    "posterior_bound",
    "privacy_loss",
    "range_privacy",
    "recoverability",
    "reidentification_rate",
    "reinterrogation_attack",
    "reinterrogation_privacy",
    "remaining_error",
    "report",
    "simulate_averaging",
    "single_entry_privacy",
    "warnings_of",
    "worst_posterior",
    "worst_rise",
]
