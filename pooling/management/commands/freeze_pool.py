from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.core.management.base import CommandParser

from accounts.models import User
from pooling.formats.topic_choice import chosen_topics
from pooling.management.campaign_command import CampaignCommand
from pooling.manifest import PoolPlan
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.services.pools import freeze_pool
from pooling.strategies.registry import STRATEGIES
from pooling.words import counted


class Command(CampaignCommand):
    help = "Build a pool from the campaign's runs and freeze it."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--depth", type=int, metavar="K", help="the strategy depth with this k")
        parser.add_argument("--strategy", choices=STRATEGIES, default="depth")
        parser.add_argument("--set", nargs="+", default=[], metavar="PARAMETER=VALUE", help="of the strategy")
        parser.add_argument("--seed", type=int, default=0)
        parser.add_argument("--runs", nargs="+", metavar="TAG", help="default: every run")
        parser.add_argument("--topics", metavar="TOPICS", help='such as "1-50 73"; default: every topic')

    def run(self, campaign: Campaign, user: User, options: dict[str, Any]) -> None:
        runs = campaign.runs.active()
        if options["runs"]:
            runs = runs.filter(tag__in=options["runs"])
            tags = {run.tag for run in runs}
            if missing := [tag for tag in options["runs"] if tag not in tags]:
                raise Refused(f"There is {' and '.join(f'no run {tag}' for tag in missing)}.")
        plan = _plan(options)
        if options["topics"]:
            numbers = list(campaign.topics.values_list("number", flat=True))
            chosen = chosen_topics(options["topics"], numbers)
            plan = replace(plan, topics=tuple(chosen) if len(chosen) < len(numbers) else None)
        pool = freeze_pool(campaign, user, list(runs), plan)
        self.write(
            f"{pool} frozen: {counted(pool.manifest['documents'], 'document')}, "
            f"sha256 {pool.manifest['sha256']}"
        )


def _plan(options: dict[str, Any]) -> PoolPlan:
    strategy = STRATEGIES[options["strategy"]]
    given = dict(pair.partition("=")[::2] for pair in options["set"])
    if options["depth"] is not None:
        given["k"] = str(options["depth"])
    if unknown := sorted(given.keys() - {parameter.name for parameter in strategy.parameters}):
        raise Refused(f"{strategy.name} has no parameter {unknown[0]}")
    values = {
        parameter.name: parameter.parse(given[parameter.name])
        for parameter in strategy.parameters
        if parameter.name in given
    }
    return PoolPlan(strategy.name, values, options["seed"])
