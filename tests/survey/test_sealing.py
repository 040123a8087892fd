"""Sealed answers: equal ones look different, and a changed one is refused."""

import base64
import os

import pytest

from deniable.errors import StoreError
from deniable.survey.sealing import seal, unseal


def test_equal_answers_are_sealed_differently_each_with_a_nonce_of_its_own():
    """Two texts under one key and one nonce tell their difference, whatever the cipher is."""
    key = os.urandom(32)
    sealed = [base64.b64decode(one) for one in [*seal(key, [b"the same"] * 50), *seal(key, [b"the same"] * 50)]]
    assert len({one[:12] for one in sealed}) == 100
    assert len({one[12:] for one in sealed}) == 100
    assert len({len(one) for one in sealed}) == 1


def test_what_was_sealed_comes_back_and_what_was_changed_does_not():
    key = os.urandom(32)
    [sealed] = seal(key, [b"an answer"])
    assert unseal(key, sealed) == b"an answer"
    raw = bytearray(base64.b64decode(sealed))
    for place in (0, 12, len(raw) - 1):
        changed = raw.copy()
        changed[place] ^= 1
        with pytest.raises(StoreError, match="changed on the disk"):
            unseal(key, base64.b64encode(changed).decode())
    with pytest.raises(StoreError, match="changed on the disk"):
        unseal(os.urandom(32), sealed)
