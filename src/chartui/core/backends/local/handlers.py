"""Which handler performs which row. Imported when the store is first needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from chartui.core.backends.local import acting, graph, restoring, settings
from chartui.core.backends.local.call import Call
from chartui.core.jsontext import Wire

__all__ = ["HANDLERS"]

#: Row name → what performs it inside a transaction and returns the answer's body. The estimation rows need no store.
HANDLERS: Final[Mapping[str, Callable[[Call], Wire]]] = MappingProxyType(
    {
        "update-character": settings.update_character,
        "list-models": settings.list_models,
        "toggle-narrative": settings.toggle_narrative,
        "create-section": graph.create_section,
        "edit-section": graph.edit_section,
        "get-section": graph.get_section,
        "list-sections": graph.list_sections,
        "delete-section": graph.delete_section,
        "create-trigger": graph.create_trigger,
        "update-trigger": graph.update_trigger,
        "delete-trigger": graph.delete_trigger,
        "get-trigger": graph.get_trigger,
        "list-triggers": graph.list_triggers,
        "get-response": acting.get_response,
        "list-characters": settings.list_characters,
        "summarize-characters": settings.summarize_characters,
        "describe-characters": settings.describe_characters,
        "get-character": settings.get_character,
        "get-settings": settings.get_settings,
        "create-character": settings.create_character,
        "duplicate-character": graph.duplicate_character,
        "rename-character": settings.rename_character,
        "delete-character": settings.delete_character,
        "set-start-section": graph.set_start_section,
        "set-override": graph.set_override,
        "snapshot-character": restoring.snapshot_character,
        "restore-character": restoring.restore_character,
        "restore-section": restoring.restore_section,
        "restore-trigger": restoring.restore_trigger,
        "list-accounts": settings.list_accounts,
    }
)
