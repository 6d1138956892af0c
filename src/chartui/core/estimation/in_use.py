"""The rates that an open profile's figures are computed with on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from chartui.core.profiles import Profile
from chartui.core.spec.errors import ErrorKind, ServiceError

if TYPE_CHECKING:
    from chartui.core.estimation.rates import Rates

__all__ = ["RatesInUse"]


class RatesInUse:
    """The rates of one profile, read when they are first asked for and kept until they are to be others.

    ``rate_card`` goes before an embedded profile's own.
    """

    def __init__(self, profile: Profile, rate_card: Path | None = None) -> None:
        self._profile = profile
        self._rate_card = rate_card
        self._rates: Rates | None = None

    def get(self) -> Rates:
        """The rates. Raises :class:`ServiceError` (kind ``not_available``) where the store's own cannot be used."""
        if self._rates is None:
            self._rates = self._read()
        return self._rates

    def forget(self) -> None:
        """Read them anew when they are next asked for: a card was learned, or its file is another one."""
        self._rates = None

    def _read(self) -> Rates:
        from chartui.core.estimation.rates import BadCard, rates_for

        try:
            return rates_for(self._profile, rate_card=self._rate_card)
        except BadCard as error:
            reason = str(error)
        except OSError as error:
            reason = f"{self._rate_card or self._profile.rate_card} cannot be read ({error.strerror})"
        raise ServiceError(ErrorKind.NOT_AVAILABLE, f"There are no rates to compute with: {reason.rstrip('.')}.")
