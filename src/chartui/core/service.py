"""The operations of a service as methods that return typed objects. Screens, commands and plans call these methods."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

from chartui.core.backends.base import Answer, Backend, Context, Progress
from chartui.core.jsontext import Wire
from chartui.core.spec.catalogue import is_billed_by_provider
from chartui.core.spec.elements import Elements
from chartui.core.spec.operation import Operation
from chartui.core.spec.operations import operation
from chartui.core.spec.shape import build, payload_of
from chartui.core.unreadable import Missed

if TYPE_CHECKING:
    from chartui.core.actions.turn import Turn
    from chartui.core.estimation.discovery import Discovery
    from chartui.core.spec.models.actions import ActionReply
    from chartui.core.spec.models.characters import Character, CharacterSettings, ModelEntry
    from chartui.core.spec.models.estimation import Assumptions, Estimate, Options, Selections
    from chartui.core.spec.models.local import AccountList, AccountNote
    from chartui.core.spec.models.narrative import Section, Trigger
    from chartui.core.spec.models.summaries import (
        CharacterDescription,
        CharacterMeasure,
        CharacterSummary,
        DescriptionList,
        MeasureList,
        SummaryList,
    )
    from chartui.core.spec.records import Records

T = TypeVar("T")
#: Answers with more records than this are converted in a thread: ten thousand sections take a sixth of a second.
MANY: Final = 1_000


class Service:
    """Performs the operations of a service through ``backend``.

    ``embedded`` says whether ``backend`` is an embedded store, which supports more operations than a remote service.
    ``origin`` is the caller's name in the request log. Every method raises
    :class:`~chartui.core.spec.errors.ServiceError`.
    """

    def __init__(self, backend: Backend, *, embedded: bool, origin: str = "library") -> None:
        self._backend = backend
        self.embedded = embedded
        self._context = Context(origin=origin, typed=True)
        # The results of these operations also list unreadable elements.
        self._note_missed: Callable[[Missed], None] = lambda _: None

    def asking_as(self, origin: str) -> Service:
        """Return a copy of the service whose calls are logged under the name ``origin``."""
        return self._with(self._context._replace(origin=origin))

    def reporting_to(self, progress: Progress) -> Service:
        """Return a copy of the service that calls ``progress`` repeatedly while a response arrives."""
        return self._with(self._context._replace(progress=progress))

    def joining(self) -> Service:
        """Return a copy of the service in which identical concurrent reads share one call."""
        return self._with(self._context._replace(joins=True))

    def through(self, layer: Callable[[Backend], Backend]) -> Service:
        """Return a copy of the service whose backend is wrapped in ``layer``."""
        service = self._with(self._context)
        service._backend = layer(self._backend)
        return service

    def noting_unreadable(self, note: Callable[[Missed], None]) -> Service:
        """Return a copy of the service that reports unreadable elements of responses.

        The elements are passed to ``note`` (decision 69).
        """
        service = self._with(self._context)
        service._note_missed = note
        return service

    def _with(self, context: Context) -> Service:
        service = Service(self._backend, embedded=self.embedded)
        service._context, service._note_missed = context, self._note_missed
        return service

    async def aclose(self) -> None:
        await self._backend.aclose()

    async def call(self, row: Operation, payload: Mapping[str, Wire], *, refresh: bool = False) -> Answer:
        """Perform an operation. The payload is an untyped mapping, which the backend validates."""
        return await self._backend.perform(row, payload, self._context._replace(typed=False, refresh=refresh))

    async def perform(
        self,
        row: Operation,
        payload: Mapping[str, Wire],
        *,
        expected: Mapping[str, Wire] | None = None,
        before: Mapping[str, Wire] | None = None,
        plan_id: str | None = None,
        step: int | None = None,
    ) -> Answer:
        """Perform one step of a plan. The backend validates the payload.

        The other arguments are described in :class:`~chartui.core.backends.base.Context`.
        """
        context = self._context._replace(typed=False, expected=expected, before=before, plan_id=plan_id, step=step)
        return await self._backend.perform(row, payload, context)

    async def _ask(self, name: str, payload: Mapping[str, Wire], **context: Any) -> T:
        """Return the answer of the operation ``name``. The caller specifies the type of the answer."""
        row = operation(name)
        answer = await self._backend.perform(row, payload, self._context._replace(**context))
        body = answer.read(row)
        if row.response.loaded and not _is_long(body):
            result = build(row.response.load(), body)
        else:
            import asyncio

            # Converting many records takes time, and so does the first import of a module of models.
            result = await asyncio.to_thread(lambda: build(row.response.load(), body))
        self._note_missed(Missed(operation=row, payload=payload, unreadable=answer.unreadable))
        if row.response.many:
            result = Elements(result, answer.unreadable)
        elif answer.unreadable:
            object.__setattr__(result, "unreadable", answer.unreadable)
        typed: T = result
        return typed

    async def estimate(
        self,
        selections: Selections | None = None,
        assumptions: Assumptions | None = None,
        *,
        refresh: bool = False,
        deadline: float | None = None,
    ) -> Estimate:
        """Return the credits and the latency (in milliseconds) of one interaction.

        The service uses its defaults for omitted values. The credits include the user's own prices for options that a
        provider bills.
        """
        payload = {
            "selections": payload_of(selections) if selections else {},
            "assumptions": payload_of(assumptions) if assumptions else {},
        }
        found: Estimate = await self._ask("estimate", payload, refresh=refresh, deadline=deadline)
        given = found.selections
        if given is None or not any(is_billed_by_provider(key or "") for key in (given.llm, given.tts)):
            return found
        from chartui.core.config import load_config
        from chartui.core.estimation.own_prices import estimate_with_own_prices

        return estimate_with_own_prices(found, load_config().prices)

    async def options(self, *, refresh: bool = False) -> tuple[Options, Discovery]:
        """Return the service's labels, rates, defaults and subscriptions.

        The first result contains them as sent, the second as interpreted.
        """
        from chartui.core.estimation.discovery import discover

        result: Options = await self._ask("options", {}, refresh=refresh)
        found = discover(result.raw)
        if found.unreadable:
            missed = (*result.unreadable, *found.unreadable)
            self._note_missed(Missed(operation=operation("options"), payload={}, unreadable=missed))
        return result, found

    async def summaries(self) -> Elements[CharacterSummary]:
        """Return the values shown in the list of characters."""
        if self.embedded:
            result: SummaryList = await self._ask("summarize-characters", {})
            return Elements(result.characters)
        return (await self.records()).summaries

    async def records(self, *, about: Collection[str] = ()) -> Records:
        """Return the complete, unchanged records of all characters.

        Unreadable records are reported. If ``about`` contains character IDs, unreadable records are reported only if
        one of these characters is not found, because it may be among the unreadable records.
        """
        from chartui.core.spec.records import Records

        row = operation("list-characters")
        answer = await self._backend.perform(row, {}, self._context)
        records = Records.of(answer.read(row)["characters"])
        if not about or any(records.find(one) is None for one in about):
            self._note_missed(Missed(operation=row, payload={}, unreadable=answer.unreadable or records.unreadable))
        return records

    async def descriptions(self) -> tuple[CharacterDescription, ...]:
        """Return the traits and backstory of every character.

        This works only for embedded stores. For a remote service, the records of the characters already contain the
        traits.
        """
        result: DescriptionList = await self._ask("describe-characters", {})
        return tuple(result.characters)

    async def measures(self) -> tuple[CharacterMeasure, ...]:
        """Return the values that determine the cost of each character. This works only for embedded stores."""
        result: MeasureList = await self._ask("measure-characters", {})
        return tuple(result.characters)

    async def character(self, character_id: str, *, among: Records | None = None) -> Character | None:
        """Return a character's record, or None if the character does not exist.

        ``among`` is the complete list of records, if it has already been read. In that case, no request is sent.
        """
        if self.embedded and among is None:
            return await self._ask("get-character", {"charID": character_id})
        records = among if among is not None else await self.records(about=(character_id,))
        raw = records.find(character_id)
        return build(operation("get-character").response.load(), raw) if raw is not None else None

    async def settings(self, character_id: str) -> CharacterSettings:
        """Return the model, temperature, reasoning level and backstory of a character.

        This works only for embedded stores (decision 25).
        """
        return await self._ask("get-settings", {"charID": character_id})

    async def models(self, character_id: str | None = None) -> Elements[ModelEntry]:
        """Return the supported models and their reasoning levels."""
        return await self._ask("list-models", {} if character_id is None else {"charID": character_id})

    async def sections(self, character_id: str) -> Elements[Section]:
        """Return all sections of a character, in the service's order."""
        return await self._ask("list-sections", {"character_id": character_id})

    async def section(self, character_id: str, section_id: str) -> Section:
        return await self._ask("get-section", {"character_id": character_id, "section_id": section_id})

    async def triggers(self, character_id: str) -> Elements[Trigger]:
        """Return all triggers of a character, in the service's order."""
        return await self._ask("list-triggers", {"character_id": character_id})

    async def trigger(self, character_id: str, trigger_id: str) -> Trigger:
        return await self._ask("get-trigger", {"character_id": character_id, "trigger_id": trigger_id})

    async def respond(self, turn: Turn) -> ActionReply:
        """Send one turn to the string-based action endpoint and return the reply."""
        return await self._ask("get-response", turn.payload())

    async def accounts(self) -> tuple[AccountNote, ...]:
        result: AccountList = await self._ask("list-accounts", {})
        return tuple(result.accounts)


def _is_long(body: Wire) -> bool:
    lists = body.values() if isinstance(body, Mapping) else (body,)
    return any(isinstance(each, list) and len(each) > MANY for each in lists)
