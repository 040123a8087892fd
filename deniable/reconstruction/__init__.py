"""From tables of reports back to distributions of truths.

>>> from deniable.reconstruction import information_loss
>>> information_loss([0.5, 0.5], [0.75, 0.25])
0.25
"""

from deniable.core.simplex import clip, project
from deniable.reconstruction.agrawal_srikant import early_stopped
from deniable.reconstruction.assign import arvesna, assign_sorted
from deniable.reconstruction.em import em
from deniable.reconstruction.loss import information_loss
from deniable.reconstruction.reconstruct import reconstruct
from deniable.reconstruction.smooth import smooth

__all__ = ["arvesna", "assign_sorted", "clip", "early_stopped", "em", "information_loss", "project", "reconstruct", "smooth"]
