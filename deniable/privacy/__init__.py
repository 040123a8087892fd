"""What an attacker learns: measures over a channel and a prior, attacks that can be tried, and a report for people.

Every measure takes `prior=None`, the distribution of the true answers: uniform by default, one number for two labels, a list in
label order or a mapping. Where a paper's formula is wrong the corrected one is computed; `as_published=True` gives the printed one.
"""

from deniable.privacy.basic import basic_privacy
from deniable.privacy.correlation import correlation_attack, remaining_error
from deniable.privacy.deniability import deniability, minority_share
from deniable.privacy.deployments import DEPLOYMENTS, Deployment
from deniable.privacy.edges import edge_leak
from deniable.privacy.entropy import conditional_entropy_privacy, entropy_privacy, privacy_loss
from deniable.privacy.epsilon import Epsilons, epsilons
from deniable.privacy.finite import nearest_finite
from deniable.privacy.influence import influence
from deniable.privacy.information import min_entropy_leakage, mutual_information
from deniable.privacy.interval import interval_privacy
from deniable.privacy.linkage import Linkage, linkage_attack, reidentification_rate
from deniable.privacy.ranges import noise_for_range_privacy, range_privacy
from deniable.privacy.recoverability import final_privacy, recoverability
from deniable.privacy.reinterrogation import reinterrogation_attack, reinterrogation_privacy
from deniable.privacy.repeats import averaging_attack, simulate_averaging
from deniable.privacy.report import PrivacyReport, report
from deniable.privacy.single_entry import group_privacy, single_entry_privacy
from deniable.privacy.warnings import warnings_of
from deniable.privacy.worst_case import Rise, posterior_bound, worst_posterior, worst_rise

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
