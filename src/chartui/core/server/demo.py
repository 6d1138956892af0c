"""Accounts of a throw-away store, for a server that is only shown (decision 56)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

from chartui.core.backends.local.store import Account, Store
from chartui.core.spec.operations import Tier

__all__ = ["DemoAccount", "fill_demo"]


class DemoAccount(TypedDict):
    """What a visitor needs to know."""

    key: str
    tier: str


def fill_demo(store: Store, fill: Callable[[Store, Account], object]) -> list[DemoAccount]:
    """Add an account of each tier, let ``fill`` give it characters of its own, and return the accounts with their keys.

    For a store that is thrown away afterwards: the keys are meant to be printed.
    """
    accounts: list[DemoAccount] = []
    for tier in Tier:
        account, key = store.add_account(tier, user_id=f"demo-{tier.value}")
        fill(store, account)
        accounts.append({"key": key, "tier": tier.value})
    return accounts
