"""``chartui narrative stats``: the size and shape of a story, and what its walks last and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from chartui.cli.configurations import add_scenario
from chartui.cli.errors import UsageError
from chartui.cli.lookup import read_story, read_whole
from chartui.cli.narrative_suite import paths_of, read_script
from chartui.cli.narrative_walk import add_random
from chartui.cli.output import Output, add_forms, write_sheet, write_texts
from chartui.cli.parser import Arguments, Verbs, add_verb
from chartui.cli.sessions import add_reference_rates, ask
from chartui.cli.walks import WalkStory, add_story
from chartui.core.narrative.statistics import figures, statistics, statistics_wire
from chartui.core.narrative.walk.random_walks import RandomWalks
from chartui.core.narrative.walk.replay import Replayed, replay

if TYPE_CHECKING:
    from chartui.core.character import Reading
    from chartui.core.characters.models import Models
    from chartui.core.session import Session
    from chartui.core.walk_costs import RandomCost, ReplyPrices, WalkCosts

_EPILOG: Final = """\
Every section that a walk enters counts as one interaction. The length of a spoken
line is taken from its text; other replies have the typical length set by
--scenario (default: by the rate card). Credits are calculated for the character's
configuration.

  chartui narrative stats --character 'Elena Marsh' walks
  chartui narrative stats --bundle elena.toml --scenario Museum --json
"""


def add_stats(verbs: Verbs) -> None:
    verb = add_verb(verbs, "stats", "show the size of a story, and the length and cost of its walks", stats)
    verb.epilog = _EPILOG
    verb.option("files", "FILE", "a saved walk, or a folder of saved walks", nargs="*")
    add_story(verb)
    add_scenario(verb)
    add_reference_rates(verb)
    add_random(verb)
    add_forms(verb)


def stats(arguments: Arguments, output: Output) -> None:
    from chartui.core.walk_costs import WalkCosts, cost_wire, costs_sheet, random_wire

    if not arguments.character_id and arguments.bundle is None:
        raise UsageError("which story? Give --character NAME or --bundle FILE")
    scripts = [(str(path), read_script(path)) for path in paths_of(arguments.files)]
    story, prices, notes = _priced_story(arguments)
    graph, keys = story.graph, {**story.keys}
    replays = [(name, replay(script, graph, {**keys, **script.keys})) for name, script in scripts]
    walks = [(name, each, WalkCosts(graph, prices, each.script.keys).of(each.retraced.walk)) for name, each in replays]
    random = _random(WalkCosts(graph, prices, keys), story, arguments)
    sheet = costs_sheet([(_label(name, each), cost) for name, each, cost in walks], random, notes)
    if arguments.csv or arguments.markdown:
        write_sheet(sheet, arguments, output)
    elif output.as_json:
        output.json(
            {
                "character_id": story.character_id or None,
                **statistics_wire(statistics(graph)),
                "scenario": arguments.scenario,
                "saved_walks": [{"file": name, "passed": each.holds, **cost_wire(cost)} for name, each, cost in walks],
                "random_walks": None if random is None else random_wire(random),
                "notes": list(notes),
            }
        )
    else:
        output.fields(list(figures(statistics(graph))))
        output.text()
        if sheet.rows:
            write_texts(sheet, output)
        output.sentences(sheet.notes)


def _label(name: str, replayed: Replayed) -> str:
    return name if replayed.retraced.broken is None else f"{name} (up to the failing step)"


def _random(costs: WalkCosts, story: WalkStory, arguments: Arguments) -> RandomCost | None:
    """The cost over random walks; None for a story without a start."""
    if story.graph.start not in story.graph.sections:
        return None
    try:
        return costs.over(RandomWalks(arguments.seed, arguments.walks, arguments.steps))
    except ValueError as error:
        raise UsageError.of(error, code="usage") from None


def _priced_story(arguments: Arguments) -> tuple[WalkStory, ReplyPrices, tuple[str, ...]]:
    from chartui.core.costs import basis_for
    from chartui.core.estimation.scenario import Scenario, Scenarios
    from chartui.core.walk_costs import reply_prices

    async def question(session: Session) -> tuple[WalkStory, ReplyPrices, tuple[str, ...]]:
        scenario = Scenario(name="") if arguments.scenario is None else Scenarios().get(arguments.scenario)
        story, reading, models = await _read(session, arguments)
        basis = await basis_for(session, cases=scenario.cases() if scenario.name else ())
        speed, rates = scenario.characters_per_second, session.rates.get()
        return story, *reply_prices(reading, models, rates, basis, speed, reference=arguments.reference_rates)

    return ask(arguments, question)


async def _read(session: Session, arguments: Arguments) -> tuple[WalkStory, Reading, Models]:
    """The story, the settings of its character, and the models; of a file, without asking the service."""
    from chartui.core.character import models_of

    if arguments.bundle is not None:
        from chartui.cli.bundles import read_file
        from chartui.core.bundle.costs import reading_of
        from chartui.core.characters.models import from_catalogue

        bundle, _ = read_file(arguments.bundle)
        story = WalkStory("", bundle.name or "", bundle.story.graph(), bundle.keys or {})
        return story, reading_of(bundle), from_catalogue()
    character_id = arguments.character_id
    character, read = await read_story(session, character_id)
    reading = await read_whole(session, character_id)
    story = WalkStory(character_id, character.character_name or "", read.graph(), {})
    return story, reading, await models_of(session.service, character_id)
