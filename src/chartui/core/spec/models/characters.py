"""Character records, character settings and supported models (C 2.1, 2.2, 2.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from chartui.core.jsontext import Wire
from chartui.core.spec.shape import ABSENT, Described, Number, Odd, Open, Record, answer, request


@answer(
    {
        "model_type": "modelType",
        "model_link": "modelLink",
        "model_placeholder": "modelPlaceholder",
        "detailed_avatar": "DETAILED_AVATAR",
    }
)
class ModelDetails(Record):
    """The avatar of a character."""

    model_type: str | None = None
    model_link: str | None = None
    model_placeholder: str | None = None
    detailed_avatar: DetailedAvatar | None = None


@answer()
class DetailedAvatar(Record):
    """The URLs of the avatar's images."""

    avatar_id: str | None = None
    avatar_image: str | None = None
    avatar_image_square: str | None = None
    experience_id: str | None = None
    bg_image: str | None = None


@answer(
    {
        "model": "MODEL",
        "prompt": "PROMPT",
        "verbosity": "VERBOSITY",
        "temperature": "TEMPERATURE",
        "speaker": "SPEAKER",
        "moderation_enabled": "MODERATION_ENABLED",
        "use_combined_prompt": "USE_COMBINED_PROMPT",
        "allowed_moderation_filters": "ALLOWED_MODERATION_FILTERS",
        "use_action_optimized_prompt": "USE_ACTION_OPTMIZED_PROMPT",
    }
)
class PromptConfig(Record):
    """The model and the prompt of a character. One field name is misspelled in the specification (decision 30)."""

    model: str | None = None
    prompt: str | None = None
    verbosity: int | None = None
    temperature: Number | None = None
    speaker: str | None = None
    moderation_enabled: bool | None = None
    use_combined_prompt: bool | str | None = None
    allowed_moderation_filters: Sequence[str] | None = None
    use_action_optimized_prompt: bool | None = None


@answer()
class BoostedWords(Record):
    """The words that speech recognition should expect for a character."""

    words: Sequence[Wire] | None = None


@answer({"limit_response_level": "limitResponseLevel", "blocked_words": "blockedWords"})
class GuardrailMeta(Record):
    """The response limit and the blocked words of a character."""

    limit_response_level: int | None = None
    blocked_words: Sequence[Wire] | None = None


@answer()
class CharacterTraits(Record):
    """The catch phrases, speaking style and five personality scores of a character."""

    catch_phrases: Sequence[Wire] | None = None
    speaking_style: str | None = None
    personality_traits: Mapping[str, int] | None = None


@answer()
class MemorySettings(Record):
    """The settings of a character's long-term memory."""

    enabled: bool | None = None


@answer({"ipa_pronunciation": "ipaPronunciation", "custom_pronunciation": "customPronunciation"})
class Pronunciation(Record):
    """The pronunciation of one word."""

    word: str | None = None
    ipa_pronunciation: str | None = None
    custom_pronunciation: str | None = None


@answer()
class PronunciationMetadata(Record):
    """All pronunciations defined for a character."""

    pronunciations: Sequence[Pronunciation] | None = None


@answer()
class SpeakingStyle(Record):
    """A description of a character's speaking style, with sample dialogues.

    The character's traits contain a separate speaking style (decision 30).
    """

    description: str | None = None
    sample_dialogues: str | None = None


@answer()
class EmbodimentData(Record):
    """The appearance and clothes of a character."""

    looks_description: str | None = None
    clothes_description: str | None = None


@answer(odd=Odd(element="record"))
class Character(Record):
    """A character as returned by the list operation (C 2.2). Only the ID is required."""

    character_id: str
    character_name: str | None = None
    collection_name: str | None = None
    user_id: str | None = None
    model_type: str | None = None
    state_names: Sequence[Wire] | None = None
    state_links: Sequence[Wire] | None = None
    listing: str | None = None
    voice_type: str | None = None
    voice_pitch: Number | None = None
    blockchain: str | None = None
    contract_address: str | None = None
    mint_address: str | None = None
    owner_address: str | None = None
    timestamp: str | None = None
    character_actions: Sequence[str] | None = None
    character_emotions: Sequence[str] | None = None
    model_details: ModelDetails | None = None
    language_code: str | None = None
    language_codes: Sequence[str] | None = None
    guard_rails: Mapping[str, Wire] | None = None
    metadata_filter: Mapping[str, Wire] | None = None
    personalised_prompt_config: PromptConfig | None = None
    boosted_words: BoostedWords | None = None
    guardrail_meta: GuardrailMeta | None = None
    start_narrative_section_id: str | None = None
    is_narrative_driven: bool | None = None
    character_traits: CharacterTraits | None = None
    memory_settings: MemorySettings | None = None
    last_interacted_with: str | None = None
    pronunciation_metadata: PronunciationMetadata | None = None
    description: str | None = None
    speaking_style: SpeakingStyle | None = None
    embodiment: Wire = None
    embodiment_data: EmbodimentData | None = None


@answer()
class CharacterList(Record):
    """The response to the list operation (C 4.15)."""

    characters: Sequence[Annotated[Character, Open("character_id")]]


@answer()
class CharacterSettings(Record):
    """The settings of a character that an update can change (decision 26).

    An embedded store returns all of them, but a remote service returns only two. ``reasoning_effort`` is a level,
    ``auto``, or None if it is not set. An unset level is not the same as ``auto`` (decision 23).
    """

    character_id: str
    model_group_name: str | None = None
    temperature: Number | None = None
    reasoning_effort: str | None = None
    backstory: str | None = None


@answer()
class Reasoning(Record):
    """The reasoning levels of one model (C 2.5), lowest first."""

    levels: Sequence[str]
    supports_auto: bool = False
    default: str | None = None


@answer(odd=Odd(element="model", alone="model_group_name"))
class ModelEntry(Record):
    """A supported model (C 2.5). If ``reasoning`` is missing, the model accepts no reasoning level."""

    model_group_name: str
    display_name: str | None = None
    is_active: bool | None = None
    is_deprecated: bool | None = None
    reasoning: Reasoning | None = None


@answer({"status": "STATUS"})
class ModelsAnswer(Record):
    """The embedded service's response to getSupportedModel (decision 19).

    ``status`` is a string that contains a JSON array of models.
    """

    status: str


@answer({"status": "STATUS"})
class Status(Record):
    """A success message. The program does not depend on its wording (decision 28)."""

    status: str | None = None
    message: str | None = None


@request()
class ListRequest:
    """The request for the list operation (C 4.15). It has no body."""


def _codes() -> dict[str, Wire]:
    from chartui.core.spec.catalogue import model_codes

    return {"enum": [model.code for model in model_codes()]}


@request({"char_id": "charID"}, least=2)
class UpdateRequest:
    """A request to change settings (C 4.1).

    It contains at least one setting. An empty ``reasoning_effort`` clears the reasoning level. Null is rejected.
    """

    char_id: str
    model_group_name: Annotated[str, Described(_codes)] = ABSENT
    temperature: Annotated[Number, Described({"minimum": 0, "maximum": 1})] = ABSENT
    reasoning_effort: str = ABSENT
    backstory: str = ABSENT


@request({"char_id": "charID"})
class ModelsRequest:
    """The request for getSupportedModel. The character is optional (decision 18)."""

    char_id: str = ABSENT


@request()
class ToggleRequest:
    """A request to switch the narrative graph on or off (C 4.3)."""

    character_id: str
    is_narrative_driven: bool
